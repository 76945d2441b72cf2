// The vectors of AVX-512. Included only by files that compile kernels for them.
#pragma once

#include <immintrin.h>

#define TIDE_VECTOR_TARGET __attribute__((target("avx512f")))

namespace tide {
namespace {

#define TIDE_INLINE __attribute__((always_inline, target("avx512f"))) static inline

// For products, 12 rows by 2 vectors: 24 sums, two vectors of b and one factor use 27 of the 32
// registers.
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
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
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
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
};

#undef TIDE_INLINE

}  // namespace
}  // namespace tide
