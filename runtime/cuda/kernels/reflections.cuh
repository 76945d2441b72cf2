// Householder reflections that zero a matrix below its diagonal, and the orthogonal matrix of their
// product.
#pragma once

#include "runtime/cuda/kernels/matrix.cuh"

namespace tide::cuda {

/// A reflection I - tau v v', with v[k] = 1 and zeros above, and workspace for applying it.
template <class T>
struct Reflection {
  T* v;
  T* sums;  ///< (warps, kLargestMatrix)
  int k, rows;
  T tau;
};

/// Called by the first warp: the reflection that zeroes column k below the diagonal, whose element
/// changes its sign, as in LAPACK (Golub and Van Loan, Matrix Computations, 5.1). Stores v in
/// shared memory and, without its 1, in the column.
template <class T>
__device__ T reflect_column(T* a, int rows, int columns, int k, T* v) {
  const int lane = static_cast<int>(threadIdx.x);
  T largest = 0;
#pragma unroll 1
  for (int i = k + 1 + lane; i < rows; i += kWarp) {
    const T value = a[i * columns + k];
    v[i] = value;
    if (magnitude(value) > largest || is_nan(value)) largest = magnitude(value);
  }
#pragma unroll 1
  for (int step = kWarp / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(kAllLanes, largest, step);
    if (other > largest || is_nan(other)) largest = other;
  }
  const T alpha = a[k * columns + k];
  if (lane == 0) v[k] = 1;
  if (largest == 0) return 0;
  // Scaled, so that squares cannot overflow or underflow.
  const T scale = magnitude(alpha) > largest ? magnitude(alpha) : largest;
  T sum = 0;
#pragma unroll 1
  for (int i = k + 1 + lane; i < rows; i += kWarp) {
    const T part = v[i] / scale;
    sum = fused(part, part, sum);
  }
#pragma unroll 1
  for (int step = kWarp / 2; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
  const T part = alpha / scale;
  const T beta = -with_sign_of(scale * root(fused(part, part, sum)), alpha);
#pragma unroll 1
  for (int i = k + 1 + lane; i < rows; i += kWarp)
    a[i * columns + k] = v[i] = v[i] / (alpha - beta);
  __syncwarp();  // so that all lanes have read alpha before it is overwritten
  if (lane == 0) a[k * columns + k] = beta;
  return (beta - alpha) / beta;
}

/// Applies the reflection to a matrix from column `first` on: each warp sums some rows of v' a.
template <class T>
__device__ void apply(const Reflection<T>& h, T* a, int columns, int first) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int warps = static_cast<int>(blockDim.x) / kWarp;
#pragma unroll 1
  for (int j = first + lane; j < columns; j += kWarp) {
    T sum = 0;
#pragma unroll 1
    for (int i = h.k + warp; i < h.rows; i += warps) sum = fused(h.v[i], a[i * columns + j], sum);
    h.sums[warp * kLargestMatrix + j] = sum;
  }
  __syncthreads();
#pragma unroll 1
  for (int j = first + lane; j < columns; j += kWarp) {
    T sum = 0;
#pragma unroll 1
    for (int w = 0; w < warps; ++w) sum += h.sums[w * kLargestMatrix + j];
    sum *= -h.tau;
#pragma unroll 1
    for (int i = h.k + warp; i < h.rows; i += warps)
      a[i * columns + j] = fused(h.v[i], sum, a[i * columns + j]);
  }
}

/// Forms Q (g.rows, g.width) from the reflections, last one first: each then only affects the rows
/// and columns from its own on, and its own column needs no sum. The reflections are below the
/// diagonal of `vectors` (g.rows, g.columns), which may be q itself; otherwise q must be the
/// identity.
template <class T, class Sides>
__device__ void form_q(const Sides& g, T* q, const T* vectors, const T* taus, T* v, T* sums) {
  const int rows = g.rows, rank = rows < g.columns ? rows : g.columns;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
#pragma unroll 1
  for (int k = rank - 1; k >= 0; --k) {
    __syncthreads();
#pragma unroll 1
    for (int i = k + thread; i < rows; i += threads)
      v[i] = i == k ? T(1) : vectors[i * g.columns + k];
    __syncthreads();
    apply<T>({v, sums, k, rows, taus[k]}, q, g.width, k + 1);
#pragma unroll 1
    for (int i = thread; i < rows; i += threads)
      q[i * g.width + k] = i < k ? T(0) : i == k ? 1 - taus[k] : fused(-taus[k], v[i], T(0));
  }
  __syncthreads();
}

}  // namespace tide::cuda
