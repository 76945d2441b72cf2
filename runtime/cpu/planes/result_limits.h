// Limits of the results of a convolution, applied to parts that are still in cache.
#pragma once

#include <cstdint>

namespace tide {

/// values[i] = min(max(values[i], low), high), where nan stays; nothing if `apply` is null.
struct ResultLimits {
  float low = 0, high = 0;
  void (*apply)(float* values, int64_t count, float low, float high) = nullptr;

  void operator()(float* values, int64_t count) const {
    if (apply) apply(values, count, low, high);
  }
};

/// The limits, with the function for this machine.
ResultLimits result_limits(float low, float high);

}  // namespace tide
