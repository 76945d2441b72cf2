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
  static constexpr bool kTransposes = true;
  TIDE_INLINE Vector zero() { return _mm_setzero_ps(); }
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
  /// Transposes a square of kLanes vectors: element j of vector i becomes element i of vector j.
  TIDE_INLINE void transpose(Vector* v) {
    const Vector ab_low = _mm_unpacklo_ps(v[0], v[1]), ab_high = _mm_unpackhi_ps(v[0], v[1]),
                 cd_low = _mm_unpacklo_ps(v[2], v[3]), cd_high = _mm_unpackhi_ps(v[2], v[3]);
    v[0] = _mm_shuffle_ps(ab_low, cd_low, 0x44);
    v[1] = _mm_shuffle_ps(ab_low, cd_low, 0xee);
    v[2] = _mm_shuffle_ps(ab_high, cd_high, 0x44);
    v[3] = _mm_shuffle_ps(ab_high, cd_high, 0xee);
  }
};

struct Double {
  using Scalar = double;
  using Vector = __m128d;
  static constexpr int kLanes = 2, kRows = 4;
  static constexpr bool kTransposes = false;
  TIDE_INLINE Vector zero() { return _mm_setzero_pd(); }
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
  static constexpr bool kTransposes = false;
  TIDE_INLINE Vector zero() { return _mm_setzero_si128(); }
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
