// Rows of ops on shapes and indices.
#include "bindings/ops/rows.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/index/part_scatter.h"
#include "runtime/ops/linalg/linalg.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/nn/grid_sample.h"
#include "runtime/ops/nn/interpolate.h"
#include "runtime/ops/shape/diagonals.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/padding.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/splitting.h"

namespace tide::bindings {

std::span<const OpRow> shape_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/shape_ops.def"
  };
  return rows;
}

std::span<const OpRow> indexing_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/indexing.def"
  };
  return rows;
}

std::span<const OpRow> joining_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/joining.def"
  };
  return rows;
}

std::span<const OpRow> arrangement_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/arrangement.def"
  };
  return rows;
}

}  // namespace tide::bindings
