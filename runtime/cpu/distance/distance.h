// Distances of all rows of two matrices.
#pragma once

#include <cstdint>

namespace tide {

/// How many steps of a distance are summed up before they are added to the others.
constexpr int64_t kDistanceBlock = 256;

/// The kernel of one instruction set for numbers of type T.
template <class T>
struct DistanceKernel {
  int columns;  ///< rows of b in a panel: element (step, row) is panel[step * columns + row]
  /// Euclidean distances of `rows` rows of `size` numbers, one after the other, and the first
  /// `used` rows of a panel; what is written behind those counts for nothing.
  void (*run)(int64_t rows, int64_t size, const T* a, const T* panel, int64_t used, T* out,
              int64_t out_stride);
};

/// Calling one needs a processor that has it.
extern const DistanceKernel<float> kDistanceBaseline32, kDistanceAvx2_32, kDistanceAvx512_32;
extern const DistanceKernel<double> kDistanceBaseline64, kDistanceAvx2_64, kDistanceAvx512_64;

}  // namespace tide
