// Rows of products of matrices, and normalizations.
#include "bindings/ops/rows.h"
#include "runtime/ops/matrix.h"
#include "runtime/ops/normalization.h"
#include "runtime/ops/softmax.h"

namespace tide::bindings {

std::span<const OpRow> matrix_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/matrix.def"
  };
  return rows;
}

std::span<const OpRow> softmax_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/softmax.def"
  };
  return rows;
}

std::span<const OpRow> normalization_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/normalization.def"
  };
  return rows;
}

}  // namespace tide::bindings
