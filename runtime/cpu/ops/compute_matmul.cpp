// Matrix products, single or batched.
#include <algorithm>
#include <string>
#include <type_traits>

#include "runtime/cpu/gemm/gemm.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/team.h"
#include "runtime/cpu/workspace.h"
#include "runtime/device/small_work.h"
#include "runtime/ir/math/half.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Sizes and strides of a batch of products.
struct Batch {
  Shape leading;
  int64_t m, n, k;
  Layout a, b;

  explicit Batch(const ComputeCall& call) : a(call.inputs[0].layout), b(call.inputs[1].layout) {
    const int rank = a.rank();
    m = a.shape[rank - 2], k = a.shape[rank - 1], n = b.shape[rank - 1];
    for (int d = 0; d < rank - 2; ++d) leading.push_back(a.shape[d]);
    merge_into_rows();
  }

  /// Merges stacks of rows with the same b into one taller product.
  void merge_into_rows() {
    int64_t stride = a.strides[leading.rank()], rows = m;
    for (int d = leading.rank() - 1; d >= 0; --d) {
      if (leading[d] == 1) continue;
      if (b.strides[d] != 0 || (rows > 1 && a.strides[d] != stride * rows)) return;
      if (rows == 1) stride = a.strides[d];
      rows *= leading[d];
    }
    row_stride_ = stride;
    m = rows;
    leading = Shape();
  }

  int64_t count() const { return leading.numel(); }

  /// The offset of product `index` in an operand with this layout.
  int64_t offset(const Layout& layout, int64_t index) const {
    int64_t offset = 0;
    for (int d = leading.rank() - 1; d >= 0; --d) {
      offset += index % leading[d] * layout.strides[d];
      index /= leading[d];
    }
    return offset;
  }

  template <class T>
  Matrix<T> left(const ComputeCall& call, int64_t index) const {
    const int rank = a.rank();
    const int64_t row_stride = row_stride_ != kUnmerged ? row_stride_ : a.strides[rank - 2];
    return {static_cast<const T*>(call.inputs[0].data) + offset(a, index), row_stride,
            a.strides[rank - 1]};
  }

  template <class T>
  Matrix<T> right(const ComputeCall& call, int64_t index) const {
    const int rank = b.rank();
    return {static_cast<const T*>(call.inputs[1].data) + offset(b, index), b.strides[rank - 2],
            b.strides[rank - 1]};
  }

 private:
  static constexpr int64_t kUnmerged = INT64_MIN;
  int64_t row_stride_ = kUnmerged;
};

/// Two integers of up to 16 bits, packed for gemm_pairs.
template <class T>
uint32_t pair_of(T low, T high) {
  const auto bits = [](T x) { return static_cast<uint16_t>(static_cast<int16_t>(x)); };
  return bits(low) | static_cast<uint32_t>(bits(high)) << 16;
}

/// The product of integers of up to 16 bits, wrapping around: pairs along k are multiplied and
/// added in one instruction. Sums are int32, of which the result keeps the low bits.
template <class T, class Result>
void multiply_narrow(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, const Result* bias,
                     int64_t bias_stride, Result* c, Parallel& parallel) {
  constexpr int64_t kRows = 1024, kColumns = 2048, kPairs = 2048;  // bound the memory
  constexpr int64_t kGrain = 32768;
  static thread_local Workspace left_memory, right_memory, sum_memory;
  for (int64_t i0 = 0; i0 < m; i0 += kRows)
    for (int64_t j0 = 0; j0 < n; j0 += kColumns) {
      const int64_t rows = std::min(kRows, m - i0), columns = std::min(kColumns, n - j0);
      uint32_t* const sums = sum_memory.get<uint32_t>(rows * columns);
      if (k == 0) std::fill_n(sums, rows * columns, 0u);
      for (int64_t p0 = 0; p0 < k; p0 += 2 * kPairs) {
        const int64_t depth = std::min(2 * kPairs, k - p0), pairs = (depth + 1) / 2;
        const auto element = [](Matrix<T> x, int64_t row, int64_t column) {
          return x.data[row * x.row_stride + column * x.column_stride];
        };
        uint32_t* const left = left_memory.get<uint32_t>(rows * pairs);
        parallel.for_range(
            rows, std::max<int64_t>(1, kGrain / pairs), [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i)
                for (int64_t p = 0; p < pairs; ++p)
                  left[i * pairs + p] =
                      pair_of(element(a, i0 + i, p0 + 2 * p),
                              2 * p + 1 < depth ? element(a, i0 + i, p0 + 2 * p + 1) : T(0));
            });
        uint32_t* const right = right_memory.get<uint32_t>(pairs * columns);
        parallel.for_range(
            pairs, std::max<int64_t>(1, kGrain / columns), [&](int64_t begin, int64_t end) {
              for (int64_t p = begin; p < end; ++p)
                for (int64_t j = 0; j < columns; ++j)
                  right[p * columns + j] =
                      pair_of(element(b, p0 + 2 * p, j0 + j),
                              2 * p + 1 < depth ? element(b, p0 + 2 * p + 1, j0 + j) : T(0));
            });
        gemm_pairs(rows, columns, pairs, left, right, sums, p0 > 0, parallel);
      }
      parallel.for_range(
          rows, std::max<int64_t>(1, kGrain / columns), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
              for (int64_t j = 0; j < columns; ++j) {
                const auto addend = bias ? static_cast<uint32_t>(bias[(j0 + j) * bias_stride]) : 0u;
                c[(i0 + i) * n + j0 + j] = static_cast<Result>(sums[i * columns + j] + addend);
              }
          });
    }
}

/// The product of wider integers, wrapping around: row by row of c, so that the inner loop runs
/// along b's rows.
template <class T>
void multiply_integers(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, const T* bias,
                       int64_t bias_stride, T* c, Parallel& parallel) {
  using U = std::make_unsigned_t<T>;
  static thread_local Workspace workspace;
  const T* rows = b.data;
  int64_t row_stride = b.row_stride;
  if (b.column_stride != 1) {
    T* copy = workspace.get<T>(std::max<int64_t>(n * k, 1));
    parallel.for_range(k, std::max<int64_t>(1, 16384 / n), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p)
        for (int64_t j = 0; j < n; ++j)
          copy[p * n + j] = b.data[p * b.row_stride + j * b.column_stride];
    });
    rows = copy;
    row_stride = n;
  }
  const int64_t grain = std::max<int64_t>(1, 32768 / (n * std::max<int64_t>(k, 1)));
  parallel.for_range(m, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* to = c + i * n;
      for (int64_t j = 0; j < n; ++j) to[j] = bias ? bias[j * bias_stride] : T(0);
      for (int64_t p = 0; p < k; ++p) {
        const U factor = static_cast<U>(a.data[i * a.row_stride + p * a.column_stride]);
        const T* from = rows + p * row_stride;
        for (int64_t j = 0; j < n; ++j)
          to[j] = static_cast<T>(static_cast<U>(to[j]) + factor * static_cast<U>(from[j]));
      }
    }
  });
}

template <class T, class Result = T>
void multiply_batch(ComputeCall& call) {
  const Batch batch(call);
  if (batch.m == 0 || batch.n == 0) return;
  const bool has_bias = unpack<MatmulAttributes>(call.attributes).has_bias;
  const auto* bias = has_bias ? static_cast<const Result*>(call.inputs[2].data) : nullptr;
  const int64_t bias_stride = has_bias ? call.inputs[2].layout.strides[0] : 0;
  auto* c = static_cast<Result*>(call.outputs[0].data);
  const auto multiply = [&](int64_t index, Parallel& parallel) {
    constexpr auto product = [] {
      if constexpr (std::is_integral_v<T> && sizeof(T) <= 2)
        return multiply_narrow<T, Result>;
      else if constexpr (std::is_integral_v<T>)
        return multiply_integers<T>;
      else
        return gemm<T, Result>;
    }();
    product(batch.m, batch.n, batch.k, batch.left<T>(call, index), batch.right<T>(call, index),
            bias, bias_stride, c + index * batch.m * batch.n, parallel);
  };
  const int64_t work = batch.m * batch.n * std::max<int64_t>(batch.k, 1);
  if (batch.count() > 1 && work <= kSmallProduct) {
    const int64_t grain = std::max<int64_t>(1, (1 << 17) / work);
    call.parallel->for_range(batch.count(), grain, [&](int64_t begin, int64_t end) {
      SingleThread alone;
      for (int64_t index = begin; index < end; ++index) multiply(index, alone);
    });
    return;
  }
  for (int64_t index = 0; index < batch.count(); ++index) multiply(index, *call.parallel);
}

}  // namespace

void compute_matmul(ComputeCall& call) {
  const bool widened = call.inputs[0].type != call.outputs[0].type;
  switch (call.inputs[0].type) {
    case DType::f32:
      return multiply_batch<float>(call);
    case DType::f64:
      return multiply_batch<double>(call);
    case DType::f16:
      return widened ? multiply_batch<Float16, float>(call) : multiply_batch<Float16>(call);
    case DType::bf16:
      return widened ? multiply_batch<BFloat16, float>(call) : multiply_batch<BFloat16>(call);
    case DType::i64:
      return multiply_batch<int64_t>(call);
    case DType::i32:
      return multiply_batch<int32_t>(call);
    case DType::i16:
      return multiply_batch<int16_t>(call);
    case DType::i8:
      return widened ? multiply_batch<int8_t, int32_t>(call) : multiply_batch<int8_t>(call);
    case DType::u8:
      return multiply_batch<uint8_t>(call);
    case DType::boolean:
    case DType::f8e4m3:
    case DType::f8e5m2:
      throw InternalError("matmul of " + std::string(name_of(call.inputs[0].type)) + " was queued");
  }
}

}  // namespace tide
