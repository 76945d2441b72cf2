// The vectors of every x86-64 processor: SSE2, without fused multiply-adds. Included only by files
// that compile kernels for it.
#pragma once

#include <immintrin.h>

#include <cstdint>

#define TIDE_VECTOR_TARGET

namespace tide {
namespace {

#define TIDE_INLINE __attribute__((always_inline)) static inline

// Matrix products use 4 rows by 2 vectors, which leaves registers for the products: they are
// rounded separately here.
struct Float {
  using Scalar = float;
  using Vector = __m128;
  static constexpr int kLanes = 4, kRows = 4;
  TIDE_INLINE Vector load(const float* p) { return _mm_loadu_ps(p); }
  TIDE_INLINE void store(float* p, Vector v) { _mm_storeu_ps(p, v); }
  TIDE_INLINE Vector broadcast(float x) { return _mm_set1_ps(x); }
  TIDE_INLINE Vector add(Vector a, Vector b) { return _mm_add_ps(a, b); }
  TIDE_INLINE Vector subtract(Vector a, Vector b) { return _mm_sub_ps(a, b); }
  TIDE_INLINE Vector multiply(Vector a, Vector b) { return _mm_mul_ps(a, b); }
  TIDE_INLINE Vector square_root(Vector a) { return _mm_sqrt_ps(a); }
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) {
    return _mm_add_ps(_mm_mul_ps(a, b), c);
  }
  /// Four elements from each of kLanes / 4 addresses that are `stride` apart.
  TIDE_INLINE Vector load_fours(const float* p, int64_t) { return _mm_loadu_ps(p); }
  // In each group of four: a0 b0 a1 b1, a2 b2 a3 b3; a0 a1 b0 b1, a2 a3 b2 b3.
  TIDE_INLINE Vector zip_low(Vector a, Vector b) { return _mm_unpacklo_ps(a, b); }
  TIDE_INLINE Vector zip_high(Vector a, Vector b) { return _mm_unpackhi_ps(a, b); }
  TIDE_INLINE Vector join_low(Vector a, Vector b) { return _mm_shuffle_ps(a, b, 0x44); }
  TIDE_INLINE Vector join_high(Vector a, Vector b) { return _mm_shuffle_ps(a, b, 0xee); }
};

struct Double {
  using Scalar = double;
  using Vector = __m128d;
  static constexpr int kLanes = 2, kRows = 4;
  TIDE_INLINE Vector load(const double* p) { return _mm_loadu_pd(p); }
  TIDE_INLINE void store(double* p, Vector v) { _mm_storeu_pd(p, v); }
  TIDE_INLINE Vector broadcast(double x) { return _mm_set1_pd(x); }
  TIDE_INLINE Vector add(Vector a, Vector b) { return _mm_add_pd(a, b); }
  TIDE_INLINE Vector subtract(Vector a, Vector b) { return _mm_sub_pd(a, b); }
  TIDE_INLINE Vector multiply(Vector a, Vector b) { return _mm_mul_pd(a, b); }
  TIDE_INLINE Vector square_root(Vector a) { return _mm_sqrt_pd(a); }
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) {
    return _mm_add_pd(_mm_mul_pd(a, b), c);
  }
};

/// Pairs of int16, whose products are summed in int32.
struct Pair {
  using Scalar = uint32_t;
  using Vector = __m128i;
  static constexpr int kLanes = 4, kRows = 4;
  TIDE_INLINE Vector load(const uint32_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const Vector*>(p));
  }
  TIDE_INLINE void store(uint32_t* p, Vector v) {
    _mm_storeu_si128(reinterpret_cast<Vector*>(p), v);
  }
  TIDE_INLINE Vector broadcast(uint32_t x) { return _mm_set1_epi32(static_cast<int>(x)); }
  TIDE_INLINE Vector add(Vector a, Vector b) { return _mm_add_epi32(a, b); }
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) {
    return _mm_add_epi32(_mm_madd_epi16(a, b), c);
  }
};

#undef TIDE_INLINE

}  // namespace
}  // namespace tide
