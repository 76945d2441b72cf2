// Rows of convolutions, pools, and losses.
#include "bindings/ops/rows.h"
#include "runtime/ops/convolution.h"
#include "runtime/ops/loss.h"
#include "runtime/ops/pooling.h"

namespace tide::bindings {

std::span<const OpRow> convolution_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/convolution.def"
  };
  return rows;
}

std::span<const OpRow> pooling_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/pooling.def"
  };
  return rows;
}

std::span<const OpRow> loss_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/loss.def"
  };
  return rows;
}

}  // namespace tide::bindings
