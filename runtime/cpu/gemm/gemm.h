// Matrix products of float, double, pairs of int16 and pairs of bfloat16: packing, blocking and the
// kernels per instruction set.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/ir/compute_op.h"

namespace tide {

/// Length of a block of k. A panel of b (two vectors of columns) fits in the L1 cache. Each
/// element's sum is rounded after every block, so this number determines the bits of every product.
/// All other block sizes affect only speed.
constexpr int64_t kGemmBlock = 256;

/// The most rows of `GemmKernel::few_rows`.
constexpr int64_t kGemmFewRows = 4;

/// Steps of k that `GemmKernel::transpose` packs at a time: a cache line of floats.
constexpr int kGemmRun = 16;

/// Two bfloat16 that are neighbours along k, the first in the low half. The product of two pairs is
/// the sum of the products of their halves, in float: products are exact, each addition is rounded,
/// and subnormal numbers count as 0.
struct BFloat16Pair {
  uint32_t bits;
};

/// The type of sums of products of T.
template <class T>
using GemmSum = std::conditional_t<std::is_same_v<T, BFloat16Pair>, float, T>;

/// Some rows of a, packed or in place: element (i, p) of panel q (which has the rows from q * rows
/// on) is at data[q * panel_stride + i * row_stride + p * k_stride].
template <class T>
struct GemmLeft {
  const T* data;
  int64_t panel_stride, row_stride, k_stride;
};

/// Some columns of b, packed or in place: element (p, j) of panel q is at data[q * panel_stride + p
/// * k_stride + j]. A partial last panel is at edge[p * columns + j], padded with zeros.
template <class T>
struct GemmRight {
  const T* data;
  int64_t panel_stride, k_stride;
  const T* edge;
};

/// The innermost part of a product for one instruction set.
template <class T>
struct GemmKernel {
  int rows;     ///< of a panel of a
  int columns;  ///< of a panel of b
  /// All panels of b pass while one of a stays in L1; otherwise the other way round.
  bool right_passes;
  /// c (m, n; rows c_stride apart) = [c +] a b over one block of k [+ bias (n), unless it is null].
  void (*block)(int64_t m, int64_t n, int64_t k, const GemmLeft<T>& a, const GemmRight<T>& b,
                const GemmSum<T>* bias, GemmSum<T>* c, int64_t c_stride, bool accumulate);
  /// Packs kGemmRun steps of half of a panel of b with contiguous columns, `stride` apart.
  void (*transpose)(const T* from, int64_t stride, T* to);
  /// As `block`, for 1 to kGemmFewRows contiguous rows of a and contiguous columns of b, which are
  /// not packed, and whose number is a multiple of half of `columns`. Null: there is none.
  void (*few_rows)(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_stride, const T* b,
                   int64_t b_stride, const GemmSum<T>* bias, GemmSum<T>* c, int64_t c_stride,
                   bool accumulate);
};

/// The kernels of each instruction set; calling one requires a processor that supports it.
extern const GemmKernel<float> kGemmBaseline32, kGemmAvx2_32, kGemmAvx512_32;
extern const GemmKernel<double> kGemmBaseline64, kGemmAvx2_64, kGemmAvx512_64;
extern const GemmKernel<uint32_t> kGemmBaselinePairs, kGemmAvx2Pairs, kGemmAvx512Pairs;
extern const GemmKernel<BFloat16Pair> kGemmAvx512BFloat16;

/// The fastest kernel that this machine supports and TIDE_CPU (x86-64, haswell) allows.
template <class T>
const GemmKernel<T>& gemm_kernel();

/// A strided matrix: element (i, j) is at data[i * row_stride + j * column_stride].
template <class T>
struct Matrix {
  const T* data;
  int64_t row_stride, column_stride;
};

/// c (m, n, contiguous) = a (m, k) b (k, n) [+ bias (n), added to each finished element]. T is
/// float, double, Float16 or BFloat16; halves are computed in float and rounded once before the
/// bias is added and once after, or not at all if Result is float. Bits depend on k alone, and for
/// BFloat16 on whether the processor multiplies pairs of it.
template <class T, class Result = T>
void gemm(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, const Result* bias,
          int64_t bias_stride, Result* c, Parallel& parallel);

/// c (m, n) = [c +] a (m, k) b (k, n), all contiguous. The elements of a and b are pairs of int16,
/// one in each half. The product of two pairs is the sum of the products of their halves; sums wrap
/// around at 32 bits.
void gemm_pairs(int64_t m, int64_t n, int64_t k, const uint32_t* a, const uint32_t* b, uint32_t* c,
                bool accumulate, Parallel& parallel);

}  // namespace tide
