// Shared by the linear algebra kernels: matrices of a stack, and how the threads of a block divide
// one.
#pragma once

#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {

constexpr int kWarp = 32;
constexpr int kMostWarps = kMatrixThreads / kWarp;
constexpr unsigned kAllLanes = 0xffffffff;

__device__ inline float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
__device__ inline float magnitude(float x) { return fabsf(x); }
__device__ inline double magnitude(double x) { return fabs(x); }
__device__ inline float root(float x) { return __fsqrt_rn(x); }
__device__ inline double root(double x) { return __dsqrt_rn(x); }
__device__ inline float with_sign_of(float size, float x) { return copysignf(size, x); }
__device__ inline double with_sign_of(double size, double x) { return copysign(size, x); }

/// How the threads of a block divide a matrix: adjacent columns among `lanes` threads, rows among
/// `groups` of lanes.
struct Share {
  int lanes = kWarp, lane, groups, group;

  __device__ explicit Share(int64_t columns) {
    while (lanes / 2 >= columns && lanes > 1) lanes /= 2;
    lane = static_cast<int>(threadIdx.x) % lanes;
    groups = static_cast<int>(blockDim.x) / lanes;
    group = static_cast<int>(threadIdx.x) / lanes;
  }
};

/// A read-only matrix.
template <class T>
struct Source {
  const T* data;
  int64_t row, column;

  __device__ T at(int64_t r, int64_t c) const { return data[r * row + c * column]; }
};

/// Matrix `index` of a stack whose leading sizes are g.leading.
template <class T, class Arguments>
__device__ Source<T> matrix_of(const Arguments& g, const MatrixStack& stack, int64_t index) {
  int64_t offset = 0;
#pragma unroll 1
  for (int d = g.leading_rank - 1; d >= 0; --d) {
    offset += index % g.leading[d] * stack.leading[d];
    index /= g.leading[d];
  }
  return {static_cast<const T*>(stack.data) + offset, stack.row, stack.column};
}

template <class T>
__device__ T* result_of(void* out, int64_t index, int64_t size) {
  return static_cast<T*>(out) + index * size;
}

template <class T>
__device__ void copy_matrix(const Share& share, const Source<T>& from, T* to, int rows,
                            int columns) {
#pragma unroll 1
  for (int r = share.group; r < rows; r += share.groups)
#pragma unroll 1
    for (int c = share.lane; c < columns; c += share.lanes) to[r * columns + c] = from.at(r, c);
}

/// Called by one thread: records that matrix `index` has failed.
template <class Arguments>
__device__ void note_failure(const Arguments& g, int64_t index, int failure) {
  if (failure && g.first_failure)
    atomicMin(g.first_failure, static_cast<unsigned long long>(index) << 32 |
                                   static_cast<unsigned long long>(failure));
}

}  // namespace tide::cuda
