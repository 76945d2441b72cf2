// Rows of convolutions, pooling, and losses.
#include "bindings/ops/rows.h"
#include "runtime/ops/nn/convolution.h"
#include "runtime/ops/nn/loss.h"
#include "runtime/ops/nn/pooling.h"

namespace tide::bindings {

std::span<const OpRow> convolution_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/convolution.def"
  };
  return rows;
}

std::span<const OpRow> pooling_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/pooling.def"
  };
  return rows;
}

std::span<const OpRow> loss_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/loss.def"
  };
  return rows;
}

}  // namespace tide::bindings
