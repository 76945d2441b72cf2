// How much a step moves and computes.
#pragma once

#include <cstdint>

#include "runtime/device/backend.h"

namespace tide {

struct StepWork {
  int64_t bytes = 0;  ///< read and written, each element once
  /// Operations on numbers: two for each multiplication and addition of a product, a convolution,
  /// an attention or a recurrence; one for each elementwise op and element, and for each element
  /// that is reduced. Of other compute ops they are not counted.
  double flops = 0;
  DType type = DType::f32;         ///< that it computes in
  bool fits_tensor_cores = false;  ///< its op, type and sizes are what Tensor Cores take
};

StepWork work_of(const LoopStep& step);
StepWork work_of(const ComputeStep& step);
/// Of a copy within a device.
StepWork work_of_copy(size_t bytes);

/// An array of the step; images and filters as planes (n, c, h, w), however they lie.
Layout planes_of(const ComputeStep& step, const ArrayView& view);

}  // namespace tide
