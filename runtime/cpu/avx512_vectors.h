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
  static constexpr bool kTransposes = true;
  TIDE_INLINE Vector zero() { return _mm512_setzero_ps(); }
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
  /// Transposes a square of kLanes vectors: element j of vector i becomes element i of vector j.
  TIDE_INLINE void transpose(Vector* v) {
#pragma GCC unroll 4
    for (Vector* four = v; four < v + kLanes; four += 4) {  // the squares of four lanes
      const Vector ab_low = _mm512_maskz_unpacklo_ps(kAll, four[0], four[1]),
                   ab_high = _mm512_maskz_unpackhi_ps(kAll, four[0], four[1]),
                   cd_low = _mm512_maskz_unpacklo_ps(kAll, four[2], four[3]),
                   cd_high = _mm512_maskz_unpackhi_ps(kAll, four[2], four[3]);
      four[0] = _mm512_maskz_shuffle_ps(kAll, ab_low, cd_low, 0x44);
      four[1] = _mm512_maskz_shuffle_ps(kAll, ab_low, cd_low, 0xee);
      four[2] = _mm512_maskz_shuffle_ps(kAll, ab_high, cd_high, 0x44);
      four[3] = _mm512_maskz_shuffle_ps(kAll, ab_high, cd_high, 0xee);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {  // the square of these
      const Vector ab_low = _mm512_maskz_shuffle_f32x4(kAll, v[i], v[i + 4], 0x44),
                   ab_high = _mm512_maskz_shuffle_f32x4(kAll, v[i], v[i + 4], 0xee),
                   cd_low = _mm512_maskz_shuffle_f32x4(kAll, v[i + 8], v[i + 12], 0x44),
                   cd_high = _mm512_maskz_shuffle_f32x4(kAll, v[i + 8], v[i + 12], 0xee);
      v[i] = _mm512_maskz_shuffle_f32x4(kAll, ab_low, cd_low, 0x88);
      v[i + 4] = _mm512_maskz_shuffle_f32x4(kAll, ab_low, cd_low, 0xdd);
      v[i + 8] = _mm512_maskz_shuffle_f32x4(kAll, ab_high, cd_high, 0x88);
      v[i + 12] = _mm512_maskz_shuffle_f32x4(kAll, ab_high, cd_high, 0xdd);
    }
  }
};

struct Double {
  using Scalar = double;
  using Vector = __m512d;
  static constexpr int kLanes = 8, kRows = 12;
  static constexpr bool kTransposes = false;
  TIDE_INLINE Vector zero() { return _mm512_setzero_pd(); }
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
  static constexpr bool kTransposes = false;
  TIDE_INLINE Vector zero() { return _mm512_setzero_si512(); }
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
