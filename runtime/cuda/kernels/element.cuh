// The element types of kernels, and the types of their computations.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace tide::cuda {

template <class T>
struct WideOf {
  using Type = T;
};
template <>
struct WideOf<__half> {
  using Type = float;
};
template <>
struct WideOf<__nv_bfloat16> {
  using Type = float;
};
/// float for half types, otherwise the type itself.
template <class T>
using Wide = typename WideOf<T>::Type;

template <class T>
__device__ inline Wide<T> widen(T x) {
  return x;
}
template <>
__device__ inline float widen(__half x) {
  return __half2float(x);
}
template <>
__device__ inline float widen(__nv_bfloat16 x) {
  return __bfloat162float(x);
}

/// Rounds to nearest even.
template <class T>
__device__ inline T narrow(Wide<T> x) {
  return static_cast<T>(x);
}
template <>
__device__ inline __half narrow<__half>(float x) {
  return __float2half_rn(x);
}
template <>
__device__ inline __nv_bfloat16 narrow<__nv_bfloat16>(float x) {
  return __float2bfloat16_rn(x);
}

template <class T>
__device__ inline bool is_nan(T x) {
  return x != x;
}

/// The number of this thread in the grid, and of all threads.
__device__ inline int64_t thread_number() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline int64_t thread_count() { return int64_t{gridDim.x} * blockDim.x; }

/// Converts a linear index to `offsets` into arrays of the same shape with any strides.
template <int N>
__device__ inline void find_offsets(int64_t index, int32_t rank, const int64_t* shape,
                                    const int64_t* const (&strides)[N], int64_t (&offsets)[N]) {
  for (int64_t& offset : offsets) offset = 0;
#pragma unroll 1
  for (int d = rank - 1; d >= 0; --d) {
    const int64_t i = index % shape[d];
    index /= shape[d];
    for (int k = 0; k < N; ++k) offsets[k] += i * strides[k][d];
  }
}

}  // namespace tide::cuda

#define TIDE_FLOATING_TYPES(X) X(f32, float) X(f64, double) X(f16, __half) X(bf16, __nv_bfloat16)
#define TIDE_INTEGER_TYPES(X) \
  X(i64, int64_t) X(i32, int32_t) X(i16, int16_t) X(i8, int8_t) X(u8, uint8_t)
