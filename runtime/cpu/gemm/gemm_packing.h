// Copies parts of matrices to the panels that the kernels of matrix products read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "runtime/cpu/gemm/gemm.h"

namespace tide {

constexpr int64_t ceil_to(int64_t n, int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

template <class T>
Matrix<T> block_of(Matrix<T> x, int64_t row, int64_t column) {
  return {x.data + row * x.row_stride + column * x.column_stride, x.row_stride, x.column_stride};
}

/// Transposes 4 x 4 elements.
inline void transpose_square(const float* from, int64_t row_stride, float* to, int64_t to_stride) {
  typedef float Four __attribute__((vector_size(16), aligned(4), may_alias));
  const auto row = [&](int i) { return *reinterpret_cast<const Four*>(from + i * row_stride); };
  const Four a = row(0), b = row(1), c = row(2), d = row(3);
  const Four ab_left = __builtin_shufflevector(a, b, 0, 4, 1, 5),
             ab_right = __builtin_shufflevector(a, b, 2, 6, 3, 7),
             cd_left = __builtin_shufflevector(c, d, 0, 4, 1, 5),
             cd_right = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const auto column = [&](int i) -> Four& { return *reinterpret_cast<Four*>(to + i * to_stride); };
  column(0) = __builtin_shufflevector(ab_left, cd_left, 0, 1, 4, 5);
  column(1) = __builtin_shufflevector(ab_left, cd_left, 2, 3, 6, 7);
  column(2) = __builtin_shufflevector(ab_right, cd_right, 0, 1, 4, 5);
  column(3) = __builtin_shufflevector(ab_right, cd_right, 2, 3, 6, 7);
}

/// A kernel's own function for packing kGemmRun steps of half of a panel with contiguous rows, or
/// null.
template <class C>
using Transpose = void (*)(const C* from, int64_t row_stride, C* to);

/// Packs `rows` rows of `source` over k as one panel of `panel` rows, k outermost.
template <int panel, class T, class C>
void pack_panel(int64_t rows, int64_t k, Matrix<T> source, Transpose<C> transpose, C* target) {
  // One cache line at a time, because rows that are a power of two apart share a few cache sets.
  constexpr int64_t run = kGemmRun;
  if (rows < panel) std::fill_n(target, panel * k, C(0));
  int64_t first = 0;  // of the steps that the kernel's function leaves over
  if constexpr (std::is_same_v<T, C>) {
    if (transpose && rows == panel && source.column_stride == 1 && source.row_stride != 1) {
      first = k / run * run;
      // Processors prefetch few rows at a time.
      for (int64_t half = 0; half < panel; half += panel / 2)
        for (int64_t p = 0; p < first; p += run)
          transpose(source.data + half * source.row_stride + p, source.row_stride,
                    target + p * panel + half);
    }
  }
  for (int64_t p = first; p < k; p += run) {
    const int64_t length = std::min(k - p, run);
    C* const to = target + p * panel;
    const T* const from = source.data + p * source.column_stride;
    // The usual cases separately, with lengths and strides that the compiler knows.
    if (source.row_stride == 1 && rows == panel) {
      for (int64_t q = 0; q < length; ++q)
        for (int64_t r = 0; r < panel; ++r)
          to[q * panel + r] = static_cast<C>(from[q * source.column_stride + r]);
    } else if (source.column_stride == 1 && length == run) {
      int64_t r = 0;
      if constexpr (std::is_same_v<T, float>) {
        for (; r + 4 <= rows; r += 4)
          for (int64_t q = 0; q < run; q += 4)
            transpose_square(from + r * source.row_stride + q, source.row_stride,
                             to + q * panel + r, panel);
      }
      for (; r < rows; ++r)
        for (int64_t q = 0; q < run; ++q)
          to[q * panel + r] = static_cast<C>(from[r * source.row_stride + q]);
    } else {
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t q = 0; q < length; ++q)
          to[q * panel + r] =
              static_cast<C>(from[r * source.row_stride + q * source.column_stride]);
    }
  }
}

/// Packs the (width, k) matrix `source` as panels of `panel` rows, the last one padded with zeros.
/// A block of b is packed as its transpose. `panel` is a panel size of one of the kernels.
template <class T, class C>
void pack(int64_t width, int64_t k, Matrix<T> source, int panel, Transpose<C> transpose,
          C* target) {
  const auto pack_all = [&]<int rows>(std::integral_constant<int, rows>) {
    for (int64_t i = 0; i < width; i += rows, target += rows * k)
      pack_panel<rows>(std::min<int64_t>(rows, width - i), k, block_of(source, i, 0), transpose,
                       target);
  };
  switch (panel) {
    case 4:
      return pack_all(std::integral_constant<int, 4>());
    case 6:
      return pack_all(std::integral_constant<int, 6>());
    case 8:
      return pack_all(std::integral_constant<int, 8>());
    case 12:
      return pack_all(std::integral_constant<int, 12>());
    case 16:
      return pack_all(std::integral_constant<int, 16>());
    case 32:
      return pack_all(std::integral_constant<int, 32>());
  }
}

template <class T>
Matrix<T> transposed(Matrix<T> x) {
  return {x.data, x.column_stride, x.row_stride};
}

}  // namespace tide
