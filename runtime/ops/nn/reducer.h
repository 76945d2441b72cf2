// Reduction of elementwise losses.
#pragma once

#include "runtime/ops/nn/loss.h"

namespace tide {

enum class LossReduction : uint8_t { mean, sum, none };

/// Reads "mean" (also if absent), "sum" or "none". Throws Error naming `op` for other values.
LossReduction loss_reduction(const char* op, const Reducer& reduction);

/// The mean, the sum, or the losses themselves.
Tensor reduce_loss(const Tensor& losses, LossReduction reduction);

/// Throws ShapeError unless both have the same shape.
void check_same_shape(const char* op, const Tensor& x, const Tensor& target);

}  // namespace tide
