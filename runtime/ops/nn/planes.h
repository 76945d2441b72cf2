// Compute ops on planes (n, c, h, w), which on GPUs may be channels last.
#pragma once

#include <span>
#include <vector>

#include "runtime/tensor/record.h"

namespace tide {

/// Whether ops use `x` channels last. The cpu's kernels need contiguous planes; cuDNN would
/// transpose those for its Tensor Cores.
bool stays_channels_last(const Tensor& x);

/// x made dense, channels last or contiguous. Differentiable.
Tensor arranged(const Tensor& x, bool channels_last);

/// record_compute for planes in the layout given by the last attribute, and results in that layout.
std::vector<Tensor> record_on_planes(ComputeOp op, const char* name, std::span<const Tensor> inputs,
                                     std::span<const ComputeResult> outputs,
                                     std::span<const int64_t> attributes);

}  // namespace tide
