// The vectors of AVX-512. Included only by files that compile kernels for them.
#pragma once

#include <immintrin.h>

#include <cstdint>

#define TIDE_VECTOR_TARGET __attribute__((target("avx512f,avx512bw")))

namespace tide {
namespace {

#define TIDE_INLINE __attribute__((always_inline, target("avx512f,avx512bw"))) static inline

// Matrix products use 12 rows by 2 vectors: 24 sums, two vectors of b and one factor take 27 of the
// 32 registers.
struct Float {
  using Scalar = float;
  using Vector = __m512;
  static constexpr int kLanes = 16, kRows = 12;
  TIDE_INLINE Vector load(const float* p) { return _mm512_loadu_ps(p); }
  TIDE_INLINE void store(float* p, Vector v) { _mm512_storeu_ps(p, v); }
  TIDE_INLINE Vector broadcast(float x) { return _mm512_set1_ps(x); }
  TIDE_INLINE Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  TIDE_INLINE Vector subtract(Vector a, Vector b) { return _mm512_sub_ps(a, b); }
  TIDE_INLINE Vector multiply(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
  TIDE_INLINE Vector square_root(Vector a) { return _mm512_maskz_sqrt_ps(kAll, a); }
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
  /// All lanes: GCC 12 warns that the forms without a mask use an uninitialized value.
  static constexpr __mmask16 kAll = 0xffff;
  /// Four elements from each of kLanes / 4 addresses that are `stride` apart.
  TIDE_INLINE Vector load_fours(const float* p, int64_t stride) {
    Vector fours = _mm512_castps128_ps512(_mm_loadu_ps(p));
    fours = _mm512_maskz_insertf32x4(kAll, fours, _mm_loadu_ps(p + stride), 1);
    fours = _mm512_maskz_insertf32x4(kAll, fours, _mm_loadu_ps(p + 2 * stride), 2);
    return _mm512_maskz_insertf32x4(kAll, fours, _mm_loadu_ps(p + 3 * stride), 3);
  }
  // In each group of four: a0 b0 a1 b1, a2 b2 a3 b3; a0 a1 b0 b1, a2 a3 b2 b3.
  TIDE_INLINE Vector zip_low(Vector a, Vector b) { return _mm512_maskz_unpacklo_ps(kAll, a, b); }
  TIDE_INLINE Vector zip_high(Vector a, Vector b) { return _mm512_maskz_unpackhi_ps(kAll, a, b); }
  TIDE_INLINE Vector join_low(Vector a, Vector b) {
    return _mm512_maskz_shuffle_ps(kAll, a, b, 0x44);
  }
  TIDE_INLINE Vector join_high(Vector a, Vector b) {
    return _mm512_maskz_shuffle_ps(kAll, a, b, 0xee);
  }
};

struct Double {
  using Scalar = double;
  using Vector = __m512d;
  static constexpr int kLanes = 8, kRows = 12;
  TIDE_INLINE Vector load(const double* p) { return _mm512_loadu_pd(p); }
  TIDE_INLINE void store(double* p, Vector v) { _mm512_storeu_pd(p, v); }
  TIDE_INLINE Vector broadcast(double x) { return _mm512_set1_pd(x); }
  TIDE_INLINE Vector add(Vector a, Vector b) { return _mm512_add_pd(a, b); }
  TIDE_INLINE Vector subtract(Vector a, Vector b) { return _mm512_sub_pd(a, b); }
  TIDE_INLINE Vector multiply(Vector a, Vector b) { return _mm512_mul_pd(a, b); }
  TIDE_INLINE Vector square_root(Vector a) { return _mm512_maskz_sqrt_pd(0xff, a); }
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
};

/// Pairs of int16, whose products are summed in int32.
struct Pair {
  using Scalar = uint32_t;
  using Vector = __m512i;
  static constexpr int kLanes = 16, kRows = 12;
  TIDE_INLINE Vector load(const uint32_t* p) { return _mm512_loadu_si512(p); }
  TIDE_INLINE void store(uint32_t* p, Vector v) { _mm512_storeu_si512(p, v); }
  TIDE_INLINE Vector broadcast(uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
  TIDE_INLINE Vector add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) {
    return _mm512_add_epi32(_mm512_madd_epi16(a, b), c);
  }
};

#undef TIDE_INLINE

}  // namespace
}  // namespace tide
