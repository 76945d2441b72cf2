// The vectors of AVX2 and FMA. Included only by files that compile kernels for them.
#pragma once

#include <immintrin.h>

#include <cstdint>

#define TIDE_VECTOR_TARGET __attribute__((target("avx2,fma")))

namespace tide {
namespace {

#define TIDE_INLINE __attribute__((always_inline, target("avx2,fma"))) static inline

// Matrix products use 6 rows by 2 vectors: 12 sums, two vectors of b and one factor take 15 of the
// 16 registers.
struct Float {
  using Scalar = float;
  using Vector = __m256;
  static constexpr int kLanes = 8, kRows = 6;
  static constexpr bool kTransposes = true;
  TIDE_INLINE Vector zero() { return _mm256_setzero_ps(); }
  TIDE_INLINE Vector load(const float* p) { return _mm256_loadu_ps(p); }
  TIDE_INLINE void store(float* p, Vector v) { _mm256_storeu_ps(p, v); }
  TIDE_INLINE Vector broadcast(float x) { return _mm256_set1_ps(x); }
  TIDE_INLINE Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
  TIDE_INLINE Vector subtract(Vector a, Vector b) { return _mm256_sub_ps(a, b); }
  TIDE_INLINE Vector multiply(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
  TIDE_INLINE Vector square_root(Vector a) { return _mm256_sqrt_ps(a); }
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
  /// Transposes a square of kLanes vectors: element j of vector i becomes element i of vector j.
  TIDE_INLINE void transpose(Vector* v) {
#pragma GCC unroll 2
    for (Vector* four = v; four < v + kLanes; four += 4) {  // the squares of four lanes
      const Vector ab_low = _mm256_unpacklo_ps(four[0], four[1]),
                   ab_high = _mm256_unpackhi_ps(four[0], four[1]),
                   cd_low = _mm256_unpacklo_ps(four[2], four[3]),
                   cd_high = _mm256_unpackhi_ps(four[2], four[3]);
      four[0] = _mm256_shuffle_ps(ab_low, cd_low, 0x44);
      four[1] = _mm256_shuffle_ps(ab_low, cd_low, 0xee);
      four[2] = _mm256_shuffle_ps(ab_high, cd_high, 0x44);
      four[3] = _mm256_shuffle_ps(ab_high, cd_high, 0xee);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {  // the square of these
      const Vector low = v[i], high = v[i + 4];
      v[i] = _mm256_permute2f128_ps(low, high, 0x20);
      v[i + 4] = _mm256_permute2f128_ps(low, high, 0x31);
    }
  }
};

struct Double {
  using Scalar = double;
  using Vector = __m256d;
  static constexpr int kLanes = 4, kRows = 6;
  static constexpr bool kTransposes = false;
  TIDE_INLINE Vector zero() { return _mm256_setzero_pd(); }
  TIDE_INLINE Vector load(const double* p) { return _mm256_loadu_pd(p); }
  TIDE_INLINE void store(double* p, Vector v) { _mm256_storeu_pd(p, v); }
  TIDE_INLINE Vector broadcast(double x) { return _mm256_set1_pd(x); }
  TIDE_INLINE Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
  TIDE_INLINE Vector subtract(Vector a, Vector b) { return _mm256_sub_pd(a, b); }
  TIDE_INLINE Vector multiply(Vector a, Vector b) { return _mm256_mul_pd(a, b); }
  TIDE_INLINE Vector square_root(Vector a) { return _mm256_sqrt_pd(a); }
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
};

/// Pairs of int16, whose products are summed in int32.
struct Pair {
  using Scalar = uint32_t;
  using Vector = __m256i;
  static constexpr int kLanes = 8, kRows = 6;
  static constexpr bool kTransposes = false;
  TIDE_INLINE Vector zero() { return _mm256_setzero_si256(); }
  TIDE_INLINE Vector load(const uint32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const Vector*>(p));
  }
  TIDE_INLINE void store(uint32_t* p, Vector v) {
    _mm256_storeu_si256(reinterpret_cast<Vector*>(p), v);
  }
  TIDE_INLINE Vector broadcast(uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
  TIDE_INLINE Vector add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) {
    return _mm256_add_epi32(_mm256_madd_epi16(a, b), c);
  }
};

#undef TIDE_INLINE

}  // namespace
}  // namespace tide
