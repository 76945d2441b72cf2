// Splits a matrix product into blocks that fit the caches, packs them and runs the kernels.
#include "runtime/cpu/gemm/gemm.h"

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "runtime/cpu/gemm/gemm_packing.h"
#include "runtime/cpu/instruction_set.h"
#include "runtime/cpu/workspace.h"
#include "runtime/ir/math/half.h"

namespace tide {
namespace {

/// Rows of a per part: with kGemmBlock a block of 192 KiB, which fits in L2.
constexpr int64_t kBlockM = 192;
/// Columns of b per part: enough to make packing a for each of them cheap.
constexpr int64_t kBlockN = 768;
/// Rows and columns of c computed at a time; bounds the memory that packing takes.
constexpr int64_t kSuperblock = 3072;
/// Multiply-adds that are worth waking a thread: some 3 microseconds.
constexpr int64_t kWorthThread = 1 << 17;
/// From this number of columns on, a is packed unless its rows are contiguous and close to each
/// other: it is read once per panel of b.
constexpr int64_t kPackLeft = 128;
/// Bytes between contiguous rows of a up to which a block of them fits in L2 in place. Further
/// apart, the rows share too few cache sets.
constexpr int64_t kNearRows = 4096;
/// From this number of rows on, b is packed even if its rows are contiguous.
constexpr int64_t kPackRight = 32;
/// Where panels of b pass, packing pays off only from this product on: rows of a times the bytes
/// between rows of b. Then b is read often, and its rows conflict in L2.
constexpr int64_t kPackPassing = int64_t{4} << 20;

template <class T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;
/// Pairs worth a thread when they are copied.
constexpr int64_t kPairsWorthThread = 32768;

/// One product of at most kSuperblock rows and columns, into `c` of the compute type. `bias`,
/// unless it is null, has an element for each column.
template <class T, class C>
class Product {
  using Sum = GemmSum<C>;

 public:
  Product(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, const Sum* bias, Sum* c,
          int64_t c_stride, bool accumulate = false)
      : m_(m),
        n_(n),
        k_(k),
        a_(a),
        b_(b),
        bias_(bias),
        c_(c),
        c_stride_(c_stride),
        accumulate_(accumulate) {}

  void run(Parallel& parallel) {
    choose_blocks(parallel.threads());
    if (row_blocks_ == 1 || in_place_) return run_parts(parallel);
    // All parts share one packed block of b.
    static thread_local Workspace workspace;
    for (int64_t p = 0; p < k_; p += kGemmBlock) {
      const int64_t depth = std::min(kGemmBlock, k_ - p);
      C* packed = workspace.get<C>(ceil_to(n_, kernel_.columns) * depth);
      const int64_t panels = (n_ + kernel_.columns - 1) / kernel_.columns;
      parallel.for_range(panels, grain(m_ * kernel_.columns), [&](int64_t begin, int64_t end) {
        const int64_t first = begin * kernel_.columns, last = std::min(n_, end * kernel_.columns);
        pack(last - first, depth, transposed(block_of(b_, p, first)), kernel_.columns,
             kernel_.transpose, packed + first * depth);
      });
      for_blocks(parallel, [&](int64_t row, int64_t column) {
        multiply(row, column, p, depth, packed_right(packed + column * depth, column, depth));
      });
    }
  }

 private:
  /// Each part packs its own columns of b, or reads them in place.
  void run_parts(Parallel& parallel) {
    for_blocks(parallel, [&](int64_t row, int64_t column) {
      static thread_local Workspace workspace;
      for (int64_t p = 0; p < k_; p += kGemmBlock) {
        const int64_t depth = std::min(kGemmBlock, k_ - p);
        if (multiply_few_rows(column, p, depth)) continue;
        C* packed = workspace.get<C>(ceil_to(block_n_, kernel_.columns) * depth);
        multiply(row, column, p, depth, right(column, p, depth, packed));
      }
    });
  }

  /// Multiplies without packing, if a has few rows and the columns of b fill vectors. Returns
  /// whether it did.
  bool multiply_few_rows(int64_t column, int64_t p, int64_t depth) {
    if constexpr (std::is_same_v<T, C>) {
      const int64_t width = std::min(block_n_, n_ - column);
      if (!kernel_.few_rows || m_ > kGemmFewRows || a_.column_stride != 1 || b_.row_stride != 1 ||
          width % (kernel_.columns / 2) != 0)
        return false;
      const bool complete = p + depth == k_;
      kernel_.few_rows(m_, width, depth, a_.data + p, a_.row_stride,
                       b_.data + column * b_.column_stride + p, b_.column_stride,
                       bias_ && complete ? bias_ + column : nullptr, c_ + column, c_stride_,
                       accumulate_ || p > 0);
      return true;
    }
    return false;
  }

  /// Calls visit(row, column) with the first element of each block of c; blocks that read the same
  /// columns of b follow each other.
  template <class Visit>
  void for_blocks(Parallel& parallel, const Visit& visit) const {
    const int64_t items = row_blocks_ * column_blocks_;
    parallel.for_range(items, grain(block_m_ * block_n_), [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const int64_t row = item % row_blocks_ * block_m_;
        const int64_t column = item / row_blocks_ * block_n_;
        if (row < m_ && column < n_) visit(row, column);
      }
    });
  }

  /// Whether b is read in place.
  bool reads_in_place() const {
    if (!std::is_same_v<T, C> || b_.column_stride != 1) return false;
    const auto bytes = static_cast<int64_t>(sizeof(T)) * std::abs(b_.row_stride);
    return m_ < kPackRight || (kernel_.right_passes && m_ * bytes < kPackPassing);
  }

  /// Chooses blocks of equal size, enough of them to keep all threads busy.
  void choose_blocks(int64_t threads) {
    // A panel that few rows use must still be in L1 when they do.
    const int64_t width = m_ < kPackRight && !in_place_ ? kernel_.columns : kBlockN;
    row_blocks_ = (m_ + kBlockM - 1) / kBlockM;
    column_blocks_ = (n_ + width - 1) / width;
    if (row_blocks_ * column_blocks_ < 4 * threads) {
      if (row_blocks_ > 1)
        row_blocks_ = ceil_to(row_blocks_, threads);
      else
        column_blocks_ = ceil_to(column_blocks_, threads);
    }
    block_m_ = ceil_to((m_ + row_blocks_ - 1) / row_blocks_, kernel_.rows);
    block_n_ = ceil_to((n_ + column_blocks_ - 1) / column_blocks_, kernel_.columns);
  }

  /// Parts worth a thread when each covers `elements` elements of c.
  int64_t grain(int64_t elements) const {
    return std::max<int64_t>(1, kWorthThread / (elements * std::min(k_, kGemmBlock)));
  }

  GemmRight<C> packed_right(const C* packed, int64_t column, int64_t depth) const {
    const int64_t full = std::min(block_n_, n_ - column) / kernel_.columns;
    const int64_t panel = kernel_.columns * depth;
    return {packed, panel, kernel_.columns, packed + full * panel};
  }

  /// The columns from `column` on, packed into `packed` unless reading them in place is faster.
  GemmRight<C> right(int64_t column, int64_t p, int64_t depth, C* packed) const {
    const int64_t width = std::min(block_n_, n_ - column);
    const Matrix<T> block = block_of(b_, p, column);
    if constexpr (std::is_same_v<T, C>) {
      if (in_place_) {
        const int64_t full_width = width / kernel_.columns * kernel_.columns;
        pack(width - full_width, depth, transposed(block_of(block, 0, full_width)), kernel_.columns,
             kernel_.transpose, packed);
        return {block.data, kernel_.columns, block.row_stride, packed};
      }
    }
    pack(width, depth, transposed(block), kernel_.columns, kernel_.transpose, packed);
    return packed_right(packed, column, depth);
  }

  /// The rows from `row` on, packed unless reading them in place is faster.
  GemmLeft<C> left(int64_t row, int64_t p, int64_t depth) const {
    const int64_t height = std::min(block_m_, m_ - row);
    const Matrix<T> block = block_of(a_, row, p);
    if constexpr (std::is_same_v<T, C>) {
      const bool near = block.column_stride == 1 &&
                        std::abs(block.row_stride) * static_cast<int64_t>(sizeof(T)) <= kNearRows;
      if (near || block_n_ < kPackLeft || height < kernel_.rows)
        return {block.data, kernel_.rows * block.row_stride, block.row_stride, block.column_stride};
    }
    static thread_local Workspace workspace;
    C* packed = workspace.get<C>(ceil_to(height, kernel_.rows) * depth);
    pack(height, depth, block, kernel_.rows, Transpose<C>(), packed);
    return {packed, kernel_.rows * depth, 1, kernel_.rows};
  }

  void multiply(int64_t row, int64_t column, int64_t p, int64_t depth, const GemmRight<C>& right) {
    const bool complete = p + depth == k_;
    kernel_.block(std::min(block_m_, m_ - row), std::min(block_n_, n_ - column), depth,
                  left(row, p, depth), right, bias_ && complete ? bias_ + column : nullptr,
                  c_ + row * c_stride_ + column, c_stride_, accumulate_ || p > 0);
  }

  const GemmKernel<C>& kernel_ = gemm_kernel<C>();
  int64_t m_, n_, k_;
  Matrix<T> a_, b_;
  const Sum* bias_;
  Sum* c_;
  int64_t c_stride_;
  bool accumulate_;
  const bool in_place_ = reads_in_place();
  int64_t row_blocks_ = 1, column_blocks_ = 1, block_m_ = 0, block_n_ = 0;
};

/// target = round(source) [+ bias], row by row.
template <class T>
void round_rows(int64_t m, int64_t n, const float* source, const T* bias, T* target,
                int64_t target_stride, Parallel& parallel) {
  parallel.for_range(m, std::max<int64_t>(1, 32768 / n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* from = source + i * n;
      T* to = target + i * target_stride;
      // Loops that the compiler vectorizes.
      if (bias)
        for (int64_t j = 0; j < n; ++j) to[j] = static_cast<T>(static_cast<T>(from[j]) + bias[j]);
      else
        for (int64_t j = 0; j < n; ++j) to[j] = static_cast<T>(from[j]);
    }
  });
}

/// The pairs along k of a matrix (rows, k): itself, or copied to `workspace`, the last one padded
/// with a zero if k is odd.
Matrix<BFloat16Pair> pairs_along(int64_t rows, int64_t k, Matrix<BFloat16> x, Workspace& workspace,
                                 Parallel& parallel) {
  const bool is_aligned = reinterpret_cast<uintptr_t>(x.data) % sizeof(BFloat16Pair) == 0;
  if (x.column_stride == 1 && k % 2 == 0 && x.row_stride % 2 == 0 && is_aligned)
    return {reinterpret_cast<const BFloat16Pair*>(x.data), x.row_stride / 2, 1};
  const int64_t pairs = (k + 1) / 2;
  auto* const copy = workspace.get<BFloat16Pair>(rows * pairs);
  const auto pair = [&](const BFloat16* first, int64_t p) {
    const uint32_t second = 2 * p + 1 < k ? first[x.column_stride].bits : 0;
    return BFloat16Pair{first->bits | second << 16};
  };
  if (x.row_stride == 1) {  // rows are read and written side by side
    parallel.for_range(pairs, std::max<int64_t>(1, kPairsWorthThread / rows),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t p = begin; p < end; ++p)
                           for (int64_t i = 0; i < rows; ++i)
                             copy[p * rows + i] = pair(x.data + 2 * p * x.column_stride + i, p);
                       });
    return {copy, 1, rows};
  }
  parallel.for_range(rows, std::max<int64_t>(1, kPairsWorthThread / std::max<int64_t>(1, pairs)),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i)
                         for (int64_t p = 0; p < pairs; ++p)
                           copy[i * pairs + p] =
                               pair(x.data + i * x.row_stride + 2 * p * x.column_stride, p);
                     });
  return {copy, pairs, 1};
}

/// One product of at most kSuperblock rows and columns.
template <class T, class C>
void multiply_block(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, const C* bias, C* c,
                    int64_t c_stride, Parallel& parallel) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    static const bool has_pairs = has_bfloat16_products();
    if (has_pairs) {
      static thread_local Workspace left, right;
      const auto pairs = pairs_along(n, k, transposed(b), right, parallel);
      return Product<BFloat16Pair, BFloat16Pair>(m, n, (k + 1) / 2,
                                                 pairs_along(m, k, a, left, parallel),
                                                 transposed(pairs), bias, c, c_stride)
          .run(parallel);
    }
  }
  Product<T, C>(m, n, k, a, b, bias, c, c_stride).run(parallel);
}

/// A contiguous bias: itself or a copy. Null if there is none.
template <class T>
const T* dense(const T* bias, int64_t n, int64_t stride) {
  if (!bias || stride == 1) return bias;
  static thread_local Workspace workspace;
  T* copy = workspace.get<T>(n);
  for (int64_t j = 0; j < n; ++j) copy[j] = bias[j * stride];
  return copy;
}

}  // namespace

template <>
const GemmKernel<float>& gemm_kernel() {
  static const GemmKernel<float>* const kernels[] = {&kGemmBaseline32, &kGemmAvx2_32,
                                                     &kGemmAvx512_32};
  static const GemmKernel<float>& chosen = *kernels[static_cast<int>(instruction_set())];
  return chosen;
}

template <>
const GemmKernel<double>& gemm_kernel() {
  static const GemmKernel<double>* const kernels[] = {&kGemmBaseline64, &kGemmAvx2_64,
                                                      &kGemmAvx512_64};
  static const GemmKernel<double>& chosen = *kernels[static_cast<int>(instruction_set())];
  return chosen;
}

template <>
const GemmKernel<uint32_t>& gemm_kernel() {
  static const GemmKernel<uint32_t>* const kernels[] = {&kGemmBaselinePairs, &kGemmAvx2Pairs,
                                                        &kGemmAvx512Pairs};
  static const GemmKernel<uint32_t>& chosen = *kernels[static_cast<int>(instruction_set())];
  return chosen;
}

template <>
const GemmKernel<BFloat16Pair>& gemm_kernel() {
  return kGemmAvx512BFloat16;
}

void gemm_pairs(int64_t m, int64_t n, int64_t k, const uint32_t* a, const uint32_t* b, uint32_t* c,
                bool accumulate, Parallel& parallel) {
  Product<uint32_t, uint32_t>(m, n, k, {a, k, 1}, {b, n, 1}, nullptr, c, n, accumulate)
      .run(parallel);
}

template <class T, class Result>
void gemm(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, const Result* strided_bias,
          int64_t bias_stride, Result* c, Parallel& parallel) {
  using C = Compute<T>;
  constexpr bool rounds = !std::is_same_v<Result, C>;
  static thread_local Workspace wide;
  const Result* const bias = dense(strided_bias, n, bias_stride);
  for (int64_t i = 0; i < m; i += kSuperblock)
    for (int64_t j = 0; j < n; j += kSuperblock) {
      const int64_t rows = std::min(kSuperblock, m - i), columns = std::min(kSuperblock, n - j);
      Result* corner = c + i * n + j;
      const Result* addend = bias ? bias + j : nullptr;
      const auto multiply = [&](const C* product_bias, C* sum, int64_t stride) {
        if (k > 0)
          multiply_block<T, C>(rows, columns, k, block_of(a, i, 0), block_of(b, 0, j), product_bias,
                               sum, stride, parallel);
        else
          for (int64_t y = 0; y < rows; ++y)
            for (int64_t x = 0; x < columns; ++x)
              sum[y * stride + x] = product_bias ? 0 + product_bias[x] : 0;
      };
      if constexpr (rounds) {
        C* sum = wide.get<C>(rows * columns);
        multiply(nullptr, sum, columns);
        round_rows(rows, columns, sum, addend, corner, n, parallel);
      } else {
        multiply(addend, corner, n);
      }
    }
}

template void gemm(int64_t, int64_t, int64_t, Matrix<float>, Matrix<float>, const float*, int64_t,
                   float*, Parallel&);
template void gemm(int64_t, int64_t, int64_t, Matrix<double>, Matrix<double>, const double*,
                   int64_t, double*, Parallel&);
template void gemm(int64_t, int64_t, int64_t, Matrix<Float16>, Matrix<Float16>, const Float16*,
                   int64_t, Float16*, Parallel&);
template void gemm(int64_t, int64_t, int64_t, Matrix<BFloat16>, Matrix<BFloat16>, const BFloat16*,
                   int64_t, BFloat16*, Parallel&);
template void gemm(int64_t, int64_t, int64_t, Matrix<Float16>, Matrix<Float16>, const float*,
                   int64_t, float*, Parallel&);
template void gemm(int64_t, int64_t, int64_t, Matrix<BFloat16>, Matrix<BFloat16>, const float*,
                   int64_t, float*, Parallel&);

}  // namespace tide
