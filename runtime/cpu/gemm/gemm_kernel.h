// The inner kernel of matrix products, as a template over the vector registers of one instruction
// set. Included only by the gemm_*.cpp files, one for each instruction set.
//
// A tile of some rows by two vectors of columns is held in registers while k runs over a block.
// Each element is one chain of multiply-adds in rising k, so its bits depend on k alone: not on
// the tile it falls in, the size of the product, the width of the vectors or the threads.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtime/cpu/gemm/gemm.h"

namespace tide {

/// Whether a panel of b takes up the L1 cache (32 KiB). Then it passes, from the L2 cache, and the
/// panel of a stays; otherwise the panel of b stays while those of a pass.
template <class V>
constexpr bool right_passes() {
  return 2 * sizeof(typename V::Vector) * kGemmBlock >= 32 * 1024;
}

/// Prefetch distance, in steps of k, of a panel that passes.
constexpr int64_t kPrefetch = 8;

/// c (rows, vectors) = [c +] a b [+ bias], where a starts at its first row, b and the bias at their
/// first columns. The strides of a packed panel are constants: all addresses then derive from one
/// register, and the loop is bound by the multiply-adds.
template <class V, int rows, int vectors, bool packed>
TIDE_VECTOR_TARGET void gemm_register_tile(int64_t k, const typename V::Scalar* a,
                                           int64_t a_row_stride, int64_t a_k_stride,
                                           const typename V::Scalar* b, int64_t b_stride,
                                           const GemmSum<typename V::Scalar>* bias,
                                           GemmSum<typename V::Scalar>* c, int64_t c_stride,
                                           bool accumulate) {
  constexpr int lanes = V::kLanes;
  if constexpr (packed) a_row_stride = 1, a_k_stride = V::kRows;
  typename V::Vector sum[rows][vectors], right[vectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sum[i][v] = V::zero();
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) __builtin_prefetch(c + i * c_stride, 1);  // needed at the end
  for (int64_t p = 0; p < k; ++p, a += a_k_stride, b += b_stride) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      right[v] = V::load(b + v * lanes);
      if (right_passes<V>()) __builtin_prefetch(b + kPrefetch * b_stride + v * lanes);
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const typename V::Vector factor = V::broadcast(a[i * a_row_stride]);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sum[i][v] = V::multiply_add(factor, right[v], sum[i][v]);
    }
  }
  if (accumulate) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v)
        sum[i][v] = V::add(V::load(c + i * c_stride + v * lanes), sum[i][v]);
  }
  if (bias) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const typename V::Vector addend = V::load(bias + v * lanes);
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i) sum[i][v] = V::add(sum[i][v], addend);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) V::store(c + i * c_stride + v * lanes, sum[i][v]);
}

/// GemmKernel::transpose for the instruction set of V.
template <class V>
TIDE_VECTOR_TARGET void gemm_transpose(const typename V::Scalar* from, int64_t row_stride,
                                       typename V::Scalar* to) {
  constexpr int columns = 2 * V::kLanes;
  if constexpr (V::kTransposes) {
    for (int p = 0; p < kGemmRun; p += V::kLanes) {
      typename V::Vector square[V::kLanes];
#pragma GCC unroll 16
      for (int r = 0; r < V::kLanes; ++r) square[r] = V::load(from + r * row_stride + p);
      V::transpose(square);
#pragma GCC unroll 16
      for (int q = 0; q < V::kLanes; ++q) V::store(to + (p + q) * columns, square[q]);
    }
  } else {
    for (int r = 0; r < V::kLanes; ++r)
      for (int p = 0; p < kGemmRun; ++p) to[p * columns + r] = from[r * row_stride + p];
  }
}

/// c (rows, vector) = [c +] a b [+ bias] for a vector of columns of b, each contiguous and
/// `b_stride` from the next: transposed in registers, because few rows would not repay packing
/// them.
template <class V, int rows>
TIDE_VECTOR_TARGET void gemm_transposed_tile(int64_t k, const typename V::Scalar* a,
                                             int64_t a_stride, const typename V::Scalar* b,
                                             int64_t b_stride, const float* bias, float* c,
                                             int64_t c_stride, bool accumulate) {
  constexpr int lanes = V::kLanes;
  typename V::Vector sum[rows];
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) sum[i] = V::zero();
  int64_t p = 0;
  for (; p + lanes <= k; p += lanes) {
    typename V::Vector square[lanes];
#pragma GCC unroll 16
    for (int j = 0; j < lanes; ++j) square[j] = V::load(b + j * b_stride + p);
    V::transpose(square);
#pragma GCC unroll 16
    for (int q = 0; q < lanes; ++q)
#pragma GCC unroll 4
      for (int i = 0; i < rows; ++i)
        sum[i] = V::multiply_add(V::broadcast(a[i * a_stride + p + q]), square[q], sum[i]);
  }
  for (; p < k; ++p) {
    typename V::Scalar step[lanes];
    for (int j = 0; j < lanes; ++j) step[j] = b[j * b_stride + p];
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i)
      sum[i] = V::multiply_add(V::broadcast(a[i * a_stride + p]), V::load(step), sum[i]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) {
    if (accumulate) sum[i] = V::add(V::load(c + i * c_stride), sum[i]);
    if (bias) sum[i] = V::add(sum[i], V::load(bias));
    V::store(c + i * c_stride, sum[i]);
  }
}

/// GemmKernel::few_rows for the instruction set of V.
template <class V>
TIDE_VECTOR_TARGET void gemm_few_rows(int64_t m, int64_t n, int64_t k, const typename V::Scalar* a,
                                      int64_t a_stride, const typename V::Scalar* b,
                                      int64_t b_stride, const float* bias, float* c,
                                      int64_t c_stride, bool accumulate) {
  static constexpr std::array tiles = {gemm_transposed_tile<V, 1>, gemm_transposed_tile<V, 2>,
                                       gemm_transposed_tile<V, 3>, gemm_transposed_tile<V, 4>};
  for (int64_t j = 0; j < n; j += V::kLanes)
    tiles[m - 1](k, a, a_stride, b + j * b_stride, b_stride, bias ? bias + j : nullptr, c + j,
                 c_stride, accumulate);
}

/// The register tiles of 1 to kRows rows.
template <class V, int vectors, bool packed, int... less>
constexpr auto gemm_tiles(std::integer_sequence<int, less...>) {
  return std::array{gemm_register_tile<V, less + 1, vectors, packed>...};
}

/// GemmKernel::block for the instruction set of V.
template <class V>
TIDE_VECTOR_TARGET void gemm_block(int64_t m, int64_t n, int64_t k,
                                   const GemmLeft<typename V::Scalar>& a,
                                   const GemmRight<typename V::Scalar>& b,
                                   const GemmSum<typename V::Scalar>* bias,
                                   GemmSum<typename V::Scalar>* c, int64_t c_stride,
                                   bool accumulate) {
  using T = typename V::Scalar;
  using Sum = GemmSum<T>;
  constexpr auto rows = std::make_integer_sequence<int, V::kRows>();
  static constexpr std::array all_tiles = {gemm_tiles<V, 2, false>(rows),
                                           gemm_tiles<V, 2, true>(rows)};
  static constexpr std::array all_narrow_tiles = {gemm_tiles<V, 1, false>(rows),
                                                  gemm_tiles<V, 1, true>(rows)};
  const bool packed = a.row_stride == 1 && a.k_stride == V::kRows;
  const auto &tiles = all_tiles[packed], &narrow_tiles = all_narrow_tiles[packed];
  constexpr int columns = 2 * V::kLanes;
  alignas(64) Sum buffer[V::kRows * columns];
  const auto multiply = [&](int64_t i, int64_t j) {
    const bool full = n - j >= columns, narrow = n - j <= V::kLanes;
    const int64_t height = m - i < V::kRows ? m - i : V::kRows;
    const T* a_panel = a.data + i / V::kRows * a.panel_stride;
    Sum* corner = c + i * c_stride + j;
    if (full) {
      tiles[height - 1](k, a_panel, a.row_stride, a.k_stride, b.data + j / columns * b.panel_stride,
                        b.k_stride, bias ? bias + j : nullptr, corner, c_stride, accumulate);
      return;
    }
    // A tile that extends past the right edge is computed in a buffer.
    (narrow ? narrow_tiles : tiles)[height - 1](k, a_panel, a.row_stride, a.k_stride, b.edge,
                                                columns, nullptr, buffer, columns, false);
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < n - j; ++x) {
        Sum& to = corner[y * c_stride + x];
        to = accumulate ? to + buffer[y * columns + x] : buffer[y * columns + x];
        if (bias) to += bias[j + x];
      }
  };
  if (right_passes<V>()) {
    for (int64_t i = 0; i < m; i += V::kRows)
      for (int64_t j = 0; j < n; j += columns) multiply(i, j);
  } else {
    for (int64_t j = 0; j < n; j += columns)
      for (int64_t i = 0; i < m; i += V::kRows) multiply(i, j);
  }
}

/// The kernel for the instruction set of V.
template <class V>
constexpr GemmKernel<typename V::Scalar> gemm_kernel_of() {
  GemmKernel<typename V::Scalar> kernel = {V::kRows,      2 * V::kLanes,     right_passes<V>(),
                                           gemm_block<V>, gemm_transpose<V>, nullptr};
  if constexpr (V::kTransposes) kernel.few_rows = gemm_few_rows<V>;
  return kernel;
}

}  // namespace tide
