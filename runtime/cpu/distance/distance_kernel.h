// The inner kernel of distances, as a template over the vector registers of one instruction set.
// Included only by the distance_*.cpp files, one for each instruction set.
//
// A tile of some rows by some vectors of columns is held in registers. Each distance is one chain
// of multiply-adds in rising order, so its bits depend on the rows' size alone, like those of a
// matrix product.
#pragma once

#include <algorithm>

#include "runtime/cpu/distance/distance.h"

namespace tide {

/// Vectors of a panel: four if there are 32 registers, so that a step loads half as many elements
/// as it adds.
template <class V>
constexpr int kPanelVectors = V::kRows >= 12 ? 4 : 2;

/// Computes the first `vectors` vectors of the panel.
template <class V, int rows, int vectors>
TIDE_VECTOR_TARGET void distance_tile(int64_t size, const typename V::Scalar* a,
                                      const typename V::Scalar* panel, typename V::Scalar* out,
                                      int64_t out_stride) {
  constexpr int lanes = V::kLanes;
  typename V::Vector total[rows][vectors];
  for (int i = 0; i < rows; ++i)
    for (int v = 0; v < vectors; ++v) total[i][v] = V::broadcast(0);
  for (int64_t begin = 0; begin < size; begin += kDistanceBlock) {
    typename V::Vector sum[rows][vectors];
    for (int i = 0; i < rows; ++i)
      for (int v = 0; v < vectors; ++v) sum[i][v] = V::broadcast(0);
    const int64_t end = std::min(size, begin + kDistanceBlock);
    for (int64_t p = begin; p < end; ++p) {
      typename V::Vector right[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v)
        right[v] = V::load(panel + (p * kPanelVectors<V> + v) * lanes);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const typename V::Vector left = V::broadcast(a[i * size + p]);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
          const typename V::Vector gap = V::subtract(left, right[v]);
          sum[i][v] = V::multiply_add(gap, gap, sum[i][v]);
        }
      }
    }
    for (int i = 0; i < rows; ++i)
      for (int v = 0; v < vectors; ++v) total[i][v] = V::add(total[i][v], sum[i][v]);
  }
  for (int i = 0; i < rows; ++i) {
    typename V::Scalar* to = out + i * out_stride;
    for (int v = 0; v < vectors; ++v) V::store(to + v * lanes, V::square_root(total[i][v]));
  }
}

template <class V, int vectors>
TIDE_VECTOR_TARGET void distance_rows(int64_t rows, int64_t size, const typename V::Scalar* a,
                                      const typename V::Scalar* panel, typename V::Scalar* out,
                                      int64_t out_stride) {
  constexpr int kTogether = V::kRows / (kPanelVectors<V> == 4 ? 3 : 2);
  int64_t i = 0;
  for (; i + kTogether <= rows; i += kTogether)
    distance_tile<V, kTogether, vectors>(size, a + i * size, panel, out + i * out_stride,
                                         out_stride);
  for (; i < rows; ++i)
    distance_tile<V, 1, vectors>(size, a + i * size, panel, out + i * out_stride, 0);
}

template <class V>
TIDE_VECTOR_TARGET void distance_panel(int64_t rows, int64_t size, const typename V::Scalar* a,
                                       const typename V::Scalar* panel, int64_t columns,
                                       typename V::Scalar* out, int64_t out_stride) {
  constexpr int half = kPanelVectors<V> / 2;
  if (columns <= half * V::kLanes)
    distance_rows<V, half>(rows, size, a, panel, out, out_stride);
  else
    distance_rows<V, 2 * half>(rows, size, a, panel, out, out_stride);
}

template <class V>
constexpr DistanceKernel<typename V::Scalar> distance_kernel_of() {
  return {kPanelVectors<V> * V::kLanes, distance_panel<V>};
}

}  // namespace tide
