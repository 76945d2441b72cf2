// Matrix product kernels for AVX-512 with products of bfloat16.
#include "runtime/cpu/avx512_vectors.h"
#undef TIDE_VECTOR_TARGET
#define TIDE_VECTOR_TARGET __attribute__((target("avx512f,avx512bw,avx512bf16")))
#include "runtime/cpu/gemm/gemm_kernel.h"

namespace tide {
namespace {

#define TIDE_INLINE \
  __attribute__((always_inline, target("avx512f,avx512bw,avx512bf16"))) static inline

/// Pairs of bfloat16, whose products are summed in float.
struct BFloat16Pairs {
  using Scalar = BFloat16Pair;
  using Vector = __m512;
  static constexpr int kLanes = 16, kRows = 12;
  static constexpr bool kTransposes = true;
  TIDE_INLINE Vector zero() { return _mm512_setzero_ps(); }
  TIDE_INLINE Vector load(const BFloat16Pair* p) { return _mm512_loadu_ps(p); }
  TIDE_INLINE Vector load(const float* p) { return _mm512_loadu_ps(p); }
  TIDE_INLINE void store(BFloat16Pair* p, Vector v) { _mm512_storeu_ps(p, v); }
  TIDE_INLINE void store(float* p, Vector v) { _mm512_storeu_ps(p, v); }
  TIDE_INLINE Vector broadcast(BFloat16Pair x) {
    return _mm512_castsi512_ps(_mm512_set1_epi32(static_cast<int>(x.bits)));
  }
  TIDE_INLINE Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  TIDE_INLINE Vector multiply_add(Vector a, Vector b, Vector c) {
    return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
  }
  TIDE_INLINE void transpose(Vector* v) { Float::transpose(v); }
};

#undef TIDE_INLINE

}  // namespace

const GemmKernel<BFloat16Pair> kGemmAvx512BFloat16 = gemm_kernel_of<BFloat16Pairs>();

}  // namespace tide
