// The inner kernel of distances, as a template over the vector registers of one instruction set.
// Included only by the distance_*.cpp files, each of which compiles it for its own.
//
// A tile of some rows by two vectors of columns is held in registers. Each distance is one chain of
// multiply-adds in rising order, so its bits depend on the rows' size alone, as a product's do.
#pragma once

#include <algorithm>

#include "runtime/cpu/ops/distance.h"

namespace tide {

template <class V, int rows>
TIDE_VECTOR_TARGET void distance_tile(int64_t size, const typename V::Scalar* a,
                                      const typename V::Scalar* panel, typename V::Scalar* out,
                                      int64_t out_stride) {
  constexpr int lanes = V::kLanes;
  typename V::Vector total[rows][2];
  for (int i = 0; i < rows; ++i) total[i][0] = total[i][1] = V::broadcast(0);
  for (int64_t begin = 0; begin < size; begin += kDistanceBlock) {
    typename V::Vector sum[rows][2];
    for (int i = 0; i < rows; ++i) sum[i][0] = sum[i][1] = V::broadcast(0);
    const int64_t end = std::min(size, begin + kDistanceBlock);
    for (int64_t p = begin; p < end; ++p) {
      const typename V::Vector right[2] = {V::load(panel + p * 2 * lanes),
                                           V::load(panel + p * 2 * lanes + lanes)};
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const typename V::Vector left = V::broadcast(a[i * size + p]);
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) {
          const typename V::Vector gap = V::subtract(left, right[v]);
          sum[i][v] = V::multiply_add(gap, gap, sum[i][v]);
        }
      }
    }
    for (int i = 0; i < rows; ++i)
      for (int v = 0; v < 2; ++v) total[i][v] = V::add(total[i][v], sum[i][v]);
  }
  for (int i = 0; i < rows; ++i) {
    typename V::Scalar* to = out + i * out_stride;
    for (int v = 0; v < 2; ++v) V::store(to + v * lanes, V::square_root(total[i][v]));
  }
}

template <class V>
TIDE_VECTOR_TARGET void distance_rows(int64_t rows, int64_t size, const typename V::Scalar* a,
                                      const typename V::Scalar* panel, typename V::Scalar* out,
                                      int64_t out_stride) {
  constexpr int kTogether = V::kRows / 2;
  int64_t i = 0;
  for (; i + kTogether <= rows; i += kTogether)
    distance_tile<V, kTogether>(size, a + i * size, panel, out + i * out_stride, out_stride);
  for (; i < rows; ++i) distance_tile<V, 1>(size, a + i * size, panel, out + i * out_stride, 0);
}

template <class V>
constexpr DistanceKernel<typename V::Scalar> distance_kernel_of() {
  return {2 * V::kLanes, distance_rows<V>};
}

}  // namespace tide
