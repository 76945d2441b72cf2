// The inner kernel of matrix products, as a template over the vector registers of one instruction
// set. Included only by the gemm_*.cpp files, each of which compiles it for its own.
//
// A tile of some rows by two vectors of columns is held in registers while k runs over a block.
// Each element is one chain of multiply-adds in rising k, so its bits depend on k alone: not on
// the tile it falls in, the size of the product, the width of the vectors or the threads.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "runtime/cpu/gemm.h"

namespace tide {

/// c (rows, vectors) = [c +] a b, where a starts at its first row and b at its first column.
template <class V, int rows, int vectors>
TIDE_VECTOR_TARGET void gemm_register_tile(int64_t k, const typename V::Scalar* a,
                                           int64_t a_row_stride, int64_t a_k_stride,
                                           const typename V::Scalar* b, int64_t b_stride,
                                           typename V::Scalar* c, int64_t c_stride,
                                           bool accumulate) {
  constexpr int lanes = V::kLanes;
  typename V::Vector sum[rows][vectors], right[vectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sum[i][v] = V::broadcast(0);
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) __builtin_prefetch(c + i * c_stride, 1);  // wanted at the end
  for (int64_t p = 0; p < k; ++p, a += a_k_stride, b += b_stride) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) right[v] = V::load(b + v * lanes);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const typename V::Vector factor = V::broadcast(a[i * a_row_stride]);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sum[i][v] = V::multiply_add(factor, right[v], sum[i][v]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      typename V::Scalar* to = c + i * c_stride + v * lanes;
      V::store(to, accumulate ? V::add(V::load(to), sum[i][v]) : sum[i][v]);
    }
}

/// The register tiles of 1 to kRows rows.
template <class V, int vectors, int... less>
constexpr auto gemm_tiles(std::integer_sequence<int, less...>) {
  return std::array{gemm_register_tile<V, less + 1, vectors>...};
}

/// GemmKernel::block for the instruction set of V.
template <class V>
TIDE_VECTOR_TARGET void gemm_block(int64_t m, int64_t n, int64_t k,
                                   const GemmLeft<typename V::Scalar>& a,
                                   const GemmRight<typename V::Scalar>& b, typename V::Scalar* c,
                                   int64_t c_stride, bool accumulate) {
  using T = typename V::Scalar;
  constexpr auto rows = std::make_integer_sequence<int, V::kRows>();
  constexpr auto tiles = gemm_tiles<V, 2>(rows), narrow_tiles = gemm_tiles<V, 1>(rows);
  constexpr int columns = 2 * V::kLanes;
  alignas(64) T aside[V::kRows * columns];
  for (int64_t j = 0; j < n; j += columns) {
    const bool whole = n - j >= columns, narrow = n - j <= V::kLanes;
    const T* b_panel = whole ? b.data + j / columns * b.panel_stride : b.edge;
    const int64_t b_stride = whole ? b.k_stride : columns;
    for (int64_t i = 0; i < m; i += V::kRows) {
      const int64_t height = m - i < V::kRows ? m - i : V::kRows;
      const T* a_panel = a.data + i / V::kRows * a.panel_stride;
      T* corner = c + i * c_stride + j;
      if (whole) {
        tiles[height - 1](k, a_panel, a.row_stride, a.k_stride, b_panel, b_stride, corner, c_stride,
                          accumulate);
        continue;
      }
      // A tile that hangs over the right edge is computed aside.
      (narrow ? narrow_tiles : tiles)[height - 1](k, a_panel, a.row_stride, a.k_stride, b_panel,
                                                  b_stride, aside, columns, false);
      for (int64_t y = 0; y < height; ++y)
        for (int64_t x = 0; x < n - j; ++x) {
          T& to = corner[y * c_stride + x];
          to = accumulate ? to + aside[y * columns + x] : aside[y * columns + x];
        }
    }
  }
}

}  // namespace tide
