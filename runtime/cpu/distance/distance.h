// Distances between all rows of two matrices.
#pragma once

#include <cstdint>

namespace tide {

/// Elements whose squared differences are summed before the sum is added to the total.
constexpr int64_t kDistanceBlock = 256;

/// The kernel of one instruction set for elements of type T.
template <class T>
struct DistanceKernel {
  int columns;  ///< rows of b in a panel: element (step, row) is panel[step * columns + row]
  /// Euclidean distances between `rows` contiguous rows of `size` elements and the first `used`
  /// rows of a panel; results written after those are undefined.
  void (*run)(int64_t rows, int64_t size, const T* a, const T* panel, int64_t used, T* out,
              int64_t out_stride);
};

/// Calling one requires a processor that supports its instruction set.
extern const DistanceKernel<float> kDistanceBaseline32, kDistanceAvx2_32, kDistanceAvx512_32;
extern const DistanceKernel<double> kDistanceBaseline64, kDistanceAvx2_64, kDistanceAvx512_64;

}  // namespace tide
