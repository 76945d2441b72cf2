// Rows of ops on shapes and positions.
#include "bindings/ops/rows.h"
#include "runtime/ops/arrangement.h"
#include "runtime/ops/elementwise.h"
#include "runtime/ops/indexing.h"
#include "runtime/ops/joining.h"
#include "runtime/ops/matrix.h"
#include "runtime/ops/shape_ops.h"

namespace tide::bindings {

std::span<const OpRow> shape_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/shape_ops.def"
  };
  return rows;
}

std::span<const OpRow> indexing_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/indexing.def"
  };
  return rows;
}

std::span<const OpRow> joining_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/joining.def"
  };
  return rows;
}

std::span<const OpRow> arrangement_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/arrangement.def"
  };
  return rows;
}

}  // namespace tide::bindings
