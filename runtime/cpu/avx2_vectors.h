// The vectors of AVX2 and FMA. Included only by files that compile kernels for them.
#pragma once

#include <immintrin.h>

#define TIDE_VECTOR_TARGET __attribute__((target("avx2,fma")))

namespace tide {
namespace {

#define TIDE_INLINE __attribute__((always_inline, target("avx2,fma"))) static inline

// For products, 6 rows by 2 vectors: 12 sums, two vectors of b and one factor use 15 of the 16
// registers.
struct Float {
  using Scalar = float;
  using Vector = __m256;
  static constexpr int kLanes = 8, kRows = 6;
  TIDE_INLINE Vector load(const float* p) { return _mm256_loadu_ps(p); }
  TIDE_INLINE void store(float* p, Vector v) { _mm256_storeu_ps(p, v); }
  TIDE_INLINE Vector broadcast(float x) { return _mm256_set1_ps(x); }
  TIDE_INLINE Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
  TIDE_INLINE Vector subtract(Vector a, Vector b) { return _mm256_sub_ps(a, b); }
  TIDE_INLINE Vector multiply(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
};

struct Double {
  using Scalar = double;
  using Vector = __m256d;
  static constexpr int kLanes = 4, kRows = 6;
  TIDE_INLINE Vector load(const double* p) { return _mm256_loadu_pd(p); }
  TIDE_INLINE void store(double* p, Vector v) { _mm256_storeu_pd(p, v); }
  TIDE_INLINE Vector broadcast(double x) { return _mm256_set1_pd(x); }
  TIDE_INLINE Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
  TIDE_INLINE Vector subtract(Vector a, Vector b) { return _mm256_sub_pd(a, b); }
  TIDE_INLINE Vector multiply(Vector a, Vector b) { return _mm256_mul_pd(a, b); }
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
};

#undef TIDE_INLINE

}  // namespace
}  // namespace tide
