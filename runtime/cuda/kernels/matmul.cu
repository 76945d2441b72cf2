// Matrix products by tiles in shared memory, for any strides and type; rounding depends only on the
// inner size. Each thread computes 4 x 4 elements of a 64 x 64 tile and sums along k in ascending
// order.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {
namespace {

constexpr int kDepth = 16;  ///< steps of k in shared memory at a time
constexpr int kOwn = 4;

/// Rounds once for floating-point types; integers wrap around.
template <class W>
__device__ W multiply_add(W a, W b, W c) {
  return static_cast<W>(c + a * b);
}
template <>
__device__ float multiply_add(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
template <>
__device__ double multiply_add(double a, double b, double c) {
  return __fma_rn(a, b, c);
}

/// Products of T, computed in W, as R.
template <class T, class W, class R>
__device__ void matmul(const MatmulArguments& g) {
  __shared__ W a_tile[kDepth][kMatmulTile + 1], b_tile[kDepth][kMatmulTile + 1];
  const int64_t tiles_n = (g.n + kMatmulTile - 1) / kMatmulTile;
  const int64_t tiles = (g.m + kMatmulTile - 1) / kMatmulTile * tiles_n;
  const int thread = threadIdx.x, row = thread / 16 * kOwn, column = thread % 16 * kOwn;
  for (int64_t item = blockIdx.x; item < tiles * g.batch; item += gridDim.x) {
    const int64_t index = item / tiles, tile = item % tiles;
    const int64_t first_row = tile / tiles_n * kMatmulTile,
                  first_column = tile % tiles_n * kMatmulTile;
    const T* a = static_cast<const T*>(g.a);
    const T* b = static_cast<const T*>(g.b);
    int64_t remaining = index;
    for (int d = g.leading_rank - 1; d >= 0; --d) {
      a += remaining % g.leading[d] * g.a_leading[d];
      b += remaining % g.leading[d] * g.b_leading[d];
      remaining /= g.leading[d];
    }
    const bool works = first_row + row < g.m && first_column + column < g.n;
    W sums[kOwn][kOwn] = {};
    for (int64_t first_k = 0; first_k < g.k; first_k += kDepth) {
      // Adjacent threads read adjacent elements of the contiguous dimension.
      for (int i = thread; i < kDepth * kMatmulTile; i += kMatmulThreads) {
        const bool along_k = g.a_column == 1;
        const int p = along_k ? i % kDepth : i / kMatmulTile,
                  r = along_k ? i / kDepth : i % kMatmulTile;
        const bool inside = first_row + r < g.m && first_k + p < g.k;
        a_tile[p][r] =
            inside
                ? static_cast<W>(widen(a[(first_row + r) * g.a_row + (first_k + p) * g.a_column]))
                : W(0);
      }
      for (int i = thread; i < kDepth * kMatmulTile; i += kMatmulThreads) {
        const bool along_k = g.b_row == 1 && g.b_column != 1;
        const int p = along_k ? i % kDepth : i / kMatmulTile,
                  c = along_k ? i / kDepth : i % kMatmulTile;
        const bool inside = first_column + c < g.n && first_k + p < g.k;
        b_tile[p][c] = inside ? static_cast<W>(widen(
                                    b[(first_k + p) * g.b_row + (first_column + c) * g.b_column]))
                              : W(0);
      }
      __syncthreads();
      const int depth = g.k - first_k < kDepth ? static_cast<int>(g.k - first_k) : kDepth;
      if (works)
        for (int p = 0; p < depth; ++p) {
          W left[kOwn], right[kOwn];
#pragma unroll
          for (int i = 0; i < kOwn; ++i) left[i] = a_tile[p][row + i];
#pragma unroll
          for (int j = 0; j < kOwn; ++j) right[j] = b_tile[p][column + j];
#pragma unroll
          for (int i = 0; i < kOwn; ++i)
#pragma unroll
            for (int j = 0; j < kOwn; ++j) sums[i][j] = multiply_add(left[i], right[j], sums[i][j]);
        }
      __syncthreads();
    }
    if (!works) continue;
    R* c = static_cast<R*>(g.c) + index * g.m * g.n;
    for (int i = 0; i < kOwn && first_row + row + i < g.m; ++i)
      for (int j = 0; j < kOwn && first_column + column + j < g.n; ++j) {
        // The product is rounded to its type before the bias is added.
        R value = narrow<R>(static_cast<Wide<R>>(sums[i][j]));
        if (g.bias)
          value = narrow<R>(static_cast<Wide<R>>(
              widen(value) +
              widen(static_cast<const R*>(g.bias)[(first_column + column + j) * g.bias_stride])));
        c[(first_row + row + i) * g.c_row + first_column + column + j] = value;
      }
  }
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

#define TIDE_MATMUL(name, T, W, R)                                                     \
  extern "C" __global__ void __launch_bounds__(256) matmul_##name(MatmulArguments g) { \
    matmul<T, W, R>(g);                                                                \
  }
TIDE_MATMUL(f32, float, float, float)
TIDE_MATMUL(f64, double, double, double)
TIDE_MATMUL(f16, __half, float, __half)
TIDE_MATMUL(f16_f32, __half, float, float)
TIDE_MATMUL(bf16, __nv_bfloat16, float, __nv_bfloat16)
TIDE_MATMUL(bf16_f32, __nv_bfloat16, float, float)
TIDE_MATMUL(i64, int64_t, unsigned long long, int64_t)
TIDE_MATMUL(i32, int32_t, unsigned, int32_t)
TIDE_MATMUL(i16, int16_t, unsigned, int16_t)
TIDE_MATMUL(i8, int8_t, unsigned, int8_t)
TIDE_MATMUL(i8_i32, int8_t, unsigned, int32_t)
TIDE_MATMUL(u8, uint8_t, unsigned, uint8_t)
