// cuBLASLt multiplies int8 to int32 sums if both factors are contiguous along k. Other factors are
// copied first, and the low byte of each sum is taken while the sums are in the L2 cache, so the
// product is computed in parts. int32 results are written by the library directly. The low byte of
// a sum does not depend on signedness, so uint8 is multiplied as int8.
#include "runtime/cuda/launchers/int8_matmul.h"

#include <algorithm>

#include "runtime/cuda/launch/embedded_kernels.h"
#include "runtime/cuda/launchers/launchers.h"

namespace tide::cuda {
namespace {

/// The minimum number of multiply-adds that justifies three launches.
constexpr int64_t kLeastWork = int64_t{1} << 21;
/// The longest sum of int8 products that fits int32.
constexpr int64_t kMostInner = 0x7fffffff / (128 * 128);
/// Rows and row counts are padded to a multiple of this: 16 bytes.
constexpr int64_t kMultiple = 16;
/// Workspace after the library's own; in total at most what a stream always keeps.
constexpr int64_t kSumBytes = int64_t{16} << 20, kFactorBytes = int64_t{8} << 20;
static_assert(Blas::kWorkspaceBytes + kSumBytes + 2 * kFactorBytes <= Workspace::kKept);

int64_t rounded_up(int64_t size) { return (size + kMultiple - 1) / kMultiple * kMultiple; }

/// The part of `size` that `most` allows, in multiples of the library's tiles.
int64_t part_of(int64_t size, int64_t most) {
  constexpr int64_t kTile = 128;
  return std::min(size, std::max(most / kTile * kTile, kMultiple));
}

/// A factor as rows of length k: rows of the left factor, columns of the right one.
struct Factor {
  const int8_t* data;
  int64_t rows, stride, inner_stride;

  /// Whether the library supports it without a copy, in steps of `step` rows.
  bool fits(int64_t k, int64_t step) const {
    return inner_stride == 1 && stride % kMultiple == 0 && k % kMultiple == 0 && rows % step == 0 &&
           reinterpret_cast<uintptr_t>(data) % kMultiple == 0;
  }
};

/// Rows of a factor in the library's layout.
struct Rows {
  const void* data;
  int64_t count, stride;
};

class Int8Matmul {
 public:
  Int8Matmul(ComputeLaunch& call, const MatmulArguments& product, DType result, char* workspace)
      : call_(call), product_(product), result_(result), workspace_(workspace) {}

  LibraryOutcome run(const int8_t* a, const int8_t* b, char* c) {
    const Factor left{a, product_.m, product_.a_row, product_.a_column};
    const Factor right{b, product_.n, product_.b_column, product_.b_row};
    const int64_t k = product_.k, filled_k = rounded_up(k);
    const bool left_fits = left.fits(k, 1), right_fits = right.fits(k, kLeastColumns);
    const bool direct = writes_sums(c);
    const int64_t most_columns = right_fits ? product_.n : kFactorBytes / filled_k;
    const int64_t columns =
        part_of(product_.n, direct ? most_columns : std::min(most_columns, kMostColumns));
    const int64_t most_rows = left_fits ? product_.m : kFactorBytes / filled_k;
    const int64_t workspace_rows = kSumBytes / int64_t{sizeof(int32_t)} / rounded_up(columns);
    const int64_t rows =
        part_of(product_.m, direct ? most_rows : std::min(most_rows, workspace_rows));
    LibraryOutcome outcome;
    for (int64_t column = 0; column < product_.n; column += columns) {
      const int64_t width = std::min(columns, product_.n - column);
      const Rows of_right =
          right_fits ? in_place(right, column, width) : arranged(right, column, width, 0);
      for (int64_t row = 0; row < product_.m; row += rows) {
        const int64_t height = std::min(rows, product_.m - row);
        const Rows of_left =
            left_fits ? in_place(left, row, height) : arranged(left, row, height, kFactorBytes);
        if (direct) {
          outcome = multiply(
              {of_left.data, height, of_left.stride}, {of_right.data, width, of_right.stride},
              c + (row * product_.n + column) * int64_t{sizeof(int32_t)}, product_.n);
          if (!outcome.enqueued) return outcome;
          continue;
        }
        outcome = multiply(of_left, of_right, workspace_, of_right.count);
        if (!outcome.enqueued) return outcome;
        narrow(of_right.count, row, height, column, width, c);
      }
    }
    return outcome;
  }

 private:
  static constexpr int64_t kLeastColumns = 4;    // of a product that the library supports
  static constexpr int64_t kMostColumns = 8192;  // so that sums of many rows fit

  /// Whether the library can write sums directly to the result.
  bool writes_sums(const char* c) const {
    return result_ == DType::i32 && !product_.bias && product_.n % kLeastColumns == 0 &&
           reinterpret_cast<uintptr_t>(c) % kMultiple == 0;
  }

  static Rows in_place(const Factor& factor, int64_t first, int64_t count) {
    return {factor.data + first * factor.stride, count, factor.stride};
  }

  /// A copy in the workspace.
  Rows arranged(const Factor& factor, int64_t first, int64_t count, int64_t offset) {
    ArrangeArguments g{};
    g.from = factor.data + first * factor.stride;
    g.to = workspace_ + kSumBytes + offset;
    g.rows = count, g.columns = product_.k;
    g.row_stride = factor.stride, g.column_stride = factor.inner_stride;
    g.padded_rows = rounded_up(count), g.padded_columns = rounded_up(product_.k);
    const auto tiles = [](int64_t size) { return (size + kArrangeTile - 1) / kArrangeTile; };
    cuda::run(call_, "int8_matmul", "arrange_bytes", g,
              tiles(g.padded_rows) * tiles(g.padded_columns), kArrangeThreads);
    return {g.to, g.padded_rows, g.padded_columns};
  }

  /// Writes sums to `c`, whose rows are `stride` elements apart.
  LibraryOutcome multiply(const Rows& left, const Rows& right, char* c, int64_t stride) {
    MatmulArguments g{};
    g.a = left.data, g.b = right.data, g.c = c;
    g.c_row = stride;
    g.m = left.count, g.n = right.count;
    g.k = rounded_up(product_.k);
    g.a_row = left.stride, g.b_column = right.stride;
    g.a_column = g.b_row = g.batch = 1;
    return call_.kernels.blas().multiply(g, {DType::i8, DType::i8, DType::i32}, call_.flushed());
  }

  void narrow(int64_t sums_stride, int64_t row, int64_t height, int64_t column, int64_t width,
              char* c) {
    const auto bytes = static_cast<int64_t>(size_of(result_));
    NarrowArguments g{};
    g.sums = reinterpret_cast<const int32_t*>(workspace_);
    g.sums_stride = sums_stride;
    g.bias = product_.bias
                 ? static_cast<const char*>(product_.bias) + column * product_.bias_stride * bytes
                 : nullptr;
    g.bias_stride = product_.bias_stride;
    g.to = c + (row * product_.n + column) * bytes;
    g.to_stride = product_.n;
    g.rows = height, g.columns = width;
    cuda::run(call_, "int8_matmul", "narrow_sums_" + std::to_string(bytes), g,
              blocks_for(height * ((width + kNarrowOwn - 1) / kNarrowOwn)), kElementThreads);
  }

  ComputeLaunch& call_;
  const MatmulArguments& product_;
  const DType result_;
  char* const workspace_;  ///< sums, then the right factor's rows, then the left one's
};

}  // namespace

LibraryOutcome multiply_bytes(ComputeLaunch& call, const MatmulArguments& product, DType result) {
  if (product.m * product.n * product.k < kLeastWork)
    return {false, "a small int8 product is faster without Tensor Cores"};
  if (product.k > kMostInner) return {false, "sums of this inner size may not fit int32"};
  if (!embedded_ptx("int8_matmul")) return {false, "this build has no kernels"};
  auto* const workspace = static_cast<char*>(call.kernels.workspace().get(
      call.flushed(), Blas::kWorkspaceBytes + kSumBytes + 2 * kFactorBytes));
  Int8Matmul work(call, product, result, workspace + Blas::kWorkspaceBytes);
  LibraryOutcome outcome;
  for (int64_t index = 0; index < product.batch; ++index) {
    int64_t a = 0, b = 0, remaining = index;
    for (int d = product.leading_rank - 1; d >= 0; --d) {
      a += remaining % product.leading[d] * product.a_leading[d];
      b += remaining % product.leading[d] * product.b_leading[d];
      remaining /= product.leading[d];
    }
    outcome = work.run(static_cast<const int8_t*>(product.a) + a,
                       static_cast<const int8_t*>(product.b) + b,
                       static_cast<char*>(product.c) +
                           index * product.m * product.n * static_cast<int64_t>(size_of(result)));
    if (!outcome.enqueued) return outcome;
  }
  return outcome;
}

}  // namespace tide::cuda
