// Compute ops on planes (n, c, h, w), which may be channels last.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "runtime/tensor/record.h"

namespace tide {

/// Whether ops use `x` channels last, as it is.
bool stays_channels_last(const Tensor& x);

/// x made dense, channels last or contiguous. Differentiable.
Tensor arranged(const Tensor& x, bool channels_last);

/// Which arrays of rank 4 are channels last.
struct PlanesLayout {
  std::array<bool, 4> inputs;
  bool results;

  /// All of them, or none.
  explicit PlanesLayout(bool last) : inputs{last, last, last, last}, results(last) {}
};

/// record_compute for dense arrays in these layouts.
std::vector<Tensor> record_on_planes(ComputeOp op, const char* name, std::span<const Tensor> inputs,
                                     std::span<const ComputeResult> outputs,
                                     std::span<const int64_t> attributes,
                                     const PlanesLayout& layout);

}  // namespace tide
