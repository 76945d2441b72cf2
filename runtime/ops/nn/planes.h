// Compute ops on planes (n, c, h, w), which on GPUs may lie channels last.
#pragma once

#include <span>
#include <vector>

#include "runtime/tensor/record.h"

namespace tide {

/// Whether ops on `x` leave it channels last. The cpu's kernels want planes in their own order;
/// cuDNN would turn them round for its Tensor Cores.
bool stays_channels_last(const Tensor& x);

/// x without gaps, channels last or in its own order. Carries gradients.
Tensor arranged(const Tensor& x, bool channels_last);

/// record_compute for planes that are arranged as the last attribute says, and results of such
/// shapes.
std::vector<Tensor> record_on_planes(ComputeOp op, const char* name, std::span<const Tensor> inputs,
                                     std::span<const ComputeResult> outputs,
                                     std::span<const int64_t> attributes);

}  // namespace tide
