// The memory traffic and arithmetic of a step.
#pragma once

#include <cstdint>

#include "runtime/device/backend.h"

namespace tide {

struct StepWork {
  int64_t bytes = 0;  ///< read and written, each element once
  /// Arithmetic operations: two for each multiplication and addition of a product, a convolution,
  /// an attention or a recurrence; one for each elementwise op and element, and for each reduced
  /// element. Not counted for other compute ops.
  double flops = 0;
  DType type = DType::f32;         ///< in which it computes
  bool fits_tensor_cores = false;  ///< its op, type and sizes suit Tensor Cores
};

StepWork work_of(const LoopStep& step);
StepWork work_of(const ComputeStep& step);
/// The work of a copy within a device.
StepWork work_of_copy(size_t bytes);

/// The layout of `view`, one of the arrays of the step; images and filters as planes (n, c, h, w).
Layout planes_of(const ComputeStep& step, const ArrayView& view);

}  // namespace tide
