// Rows of matrix products and normalizations.
#include "bindings/ops/rows.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/nn/attention.h"
#include "runtime/ops/nn/normalization.h"
#include "runtime/ops/nn/softmax.h"

namespace tide::bindings {

std::span<const OpRow> matrix_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/matrix.def"
  };
  return rows;
}

std::span<const OpRow> softmax_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/softmax.def"
  };
  return rows;
}

std::span<const OpRow> normalization_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/normalization.def"
  };
  return rows;
}

}  // namespace tide::bindings
