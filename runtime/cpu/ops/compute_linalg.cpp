// Matrix decompositions and solvers: LAPACK's routines over stacks of matrices. Each matrix is one
// call on one thread, so bits do not depend on how a stack is split.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <string>

#include "runtime/cpu/lapack/plugin.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/workspace.h"
#include "runtime/ir/compute_failure.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Multiply-adds that are worth a thread.
constexpr int64_t kGrain = 1 << 16;

/// Rows and columns that are copied together, so that both sides stay in the cache.
constexpr int64_t kTile = 16;

/// A stack of matrices with any strides.
template <class T>
class Matrices {
 public:
  explicit Matrices(const ArrayView& view)
      : data_(static_cast<T*>(view.data)), layout_(view.layout) {
    const int rank = layout_.rank();
    rows = layout_.shape[rank - 2], columns = layout_.shape[rank - 1];
    row_stride_ = layout_.strides[rank - 2], column_stride_ = layout_.strides[rank - 1];
  }

  int64_t rows, columns;

  T* at(int64_t index) const {
    int64_t offset = 0;
    for (int d = layout_.rank() - 3; d >= 0; --d) {
      offset += index % layout_.shape[d] * layout_.strides[d];
      index /= layout_.shape[d];
    }
    return data_ + offset;
  }
  int64_t row_stride() const { return row_stride_; }
  int64_t column_stride() const { return column_stride_; }

  int64_t count() const {
    int64_t count = 1;
    for (int d = 0; d < layout_.rank() - 2; ++d) count *= layout_.shape[d];
    return count;
  }

  /// Copies matrix `index` to a column-major array.
  void read(int64_t index, T* destination) const {
    const T* source = at(index);
    for_tiles([&](int64_t r, int64_t c) {
      destination[c * rows + r] = source[r * row_stride_ + c * column_stride_];
    });
  }

  /// Copies matrix `index` from the start of a column-major array whose columns are `stride` apart.
  void write(int64_t index, const T* source, int64_t stride) const {
    T* destination = at(index);
    for_tiles([&](int64_t r, int64_t c) {
      destination[r * row_stride_ + c * column_stride_] = source[c * stride + r];
    });
  }

 private:
  template <class Visit>
  void for_tiles(const Visit& visit) const {
    for (int64_t c0 = 0; c0 < columns; c0 += kTile)
      for (int64_t r0 = 0; r0 < rows; r0 += kTile)
        for (int64_t c = c0; c < std::min(c0 + kTile, columns); ++c)
          for (int64_t r = r0; r < std::min(r0 + kTile, rows); ++r) visit(r, c);
  }

  T* data_;
  Layout layout_;
  int64_t row_stride_, column_stride_;
};

/// The first matrix of a stack that failed, whichever thread found it.
class FirstFailure {
 public:
  /// `info` is LAPACK's: not 0.
  void note(int64_t index, int64_t info) {
    const int64_t fresh = index << 32 | (info & 0xffffffff);
    int64_t seen = first_.load(std::memory_order_relaxed);
    while (fresh < seen && !first_.compare_exchange_weak(seen, fresh)) {
    }
  }
  explicit operator bool() const { return first_.load() != kNone; }
  int64_t info() const { return static_cast<int32_t>(first_.load() & 0xffffffff); }
  std::string name(int64_t count) const { return matrix_name(first_.load() >> 32, count); }

 private:
  static constexpr int64_t kNone = INT64_MAX;
  std::atomic<int64_t> first_{kNone};
};

/// Calls body(a zero of the type, routines) for the type of the first input.
template <class Body>
void with_routines(const ComputeCall& call, const Body& body) {
  if (call.inputs[0].type == DType::f64)
    body(double(), lapack_plugin().double_precision);
  else
    body(float(), lapack_plugin().single_precision);
}

/// Calls body(index) for each matrix of a stack; `work` is the number of multiply-adds of one.
template <class Body>
void for_each_matrix(const ComputeCall& call, int64_t count, int64_t work, const Body& body) {
  call.parallel->for_range(count, std::max<int64_t>(1, kGrain / std::max<int64_t>(work, 1)),
                           [&](int64_t begin, int64_t end) {
                             for (int64_t index = begin; index < end; ++index) body(index);
                           });
}

/// Memory of the calling thread: one buffer for each array that a routine uses at the same time.
enum Buffer { kMatrix, kSecond, kThird, kVector, kWork, kIntegers, kBuffers };

template <class T>
T* workspace(Buffer buffer, int64_t count) {
  static thread_local Workspace buffers[kBuffers];
  return buffers[buffer].get<T>(static_cast<size_t>(std::max<int64_t>(count, 1)));
}

int as_int(int64_t size) { return static_cast<int>(size); }

/// The leading dimension of an array for LAPACK.
int leading(int64_t rows) { return as_int(std::max<int64_t>(rows, 1)); }

template <class T>
bool all_finite(const T* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (!std::isfinite(values[i])) return false;
  return true;
}

/// A triangular factor, used in place if possible. LAPACK is column-major, so rows are the columns
/// of the transpose.
template <class T>
class Factor {
 public:
  /// The factor of matrix `index`; copied if neither its rows nor its columns are contiguous.
  Factor(const Matrices<T>& factors, int64_t index) : data_(factors.at(index)) {
    const int64_t size = factors.rows;
    const auto fits = [size](int64_t dense, int64_t stride) {
      return dense == 1 && stride >= std::max<int64_t>(size, 1) && stride <= INT32_MAX;
    };
    if (fits(factors.column_stride(), factors.row_stride())) {
      stride_ = as_int(factors.row_stride());
    } else {
      by_columns_ = true;
      stride_ = leading(size);
      if (fits(factors.row_stride(), factors.column_stride())) {
        stride_ = as_int(factors.column_stride());
      } else {
        T* copy = workspace<T>(kMatrix, size * size);
        factors.read(index, copy);
        data_ = copy;
      }
    }
  }

  /// Solves a x = b, or with `transposed` a' x = b, in place: b has `size` rows, `b_stride` apart,
  /// and `columns` columns. For LAPACK it is x' a' = b', which avoids all copies.
  void solve(const LapackRoutines<T>& lapack, bool upper, bool transposed, bool unit, int size,
             int columns, T* b, int b_stride) const {
    const T one = 1;
    lapack.trsm("R", upper == by_columns_ ? "U" : "L", transposed == by_columns_ ? "N" : "T",
                unit ? "U" : "N", &columns, &size, &one, data_, &stride_, b, &b_stride, 1, 1, 1, 1);
  }

 private:
  const T* data_;
  int stride_;
  bool by_columns_ = false;
};

/// Copies b's columns, a fixed number at a time, and calls solve(index, x, columns) for each part
/// of each matrix of a stack: x points at the part's first element in the result.
template <class T, class Solve>
void solve_in_parts(const ComputeCall& call, const Matrices<T>& right, const Matrices<T>& output,
                    const Solve& solve) {
  // Independent of the number of threads, because bits may depend on it.
  constexpr int64_t kColumns = 64;
  const int64_t size = right.rows, all = right.columns;
  if (size * all == 0) return;
  const int64_t parts = (all + kColumns - 1) / kColumns;
  for_each_matrix(call, right.count() * parts, size * size * std::min(kColumns, all),
                  [&](int64_t i) {
                    const int64_t index = i / parts, first = i % parts * kColumns;
                    const int64_t columns = std::min(kColumns, all - first);
                    const T* from = right.at(index) + first * right.column_stride();
                    T* x = output.at(index) + first;
                    for (int64_t r = 0; r < size; ++r)
                      for (int64_t c = 0; c < columns; ++c)
                        x[r * all + c] = from[r * right.row_stride() + c * right.column_stride()];
                    solve(index, x, as_int(columns));
                  });
}

/// Throws the error of an iteration that failed; `info` is -1 for values that are not finite.
[[noreturn]] void throw_not_converged(const FirstFailure& failure, int64_t count) {
  throw Error(failure.info() < 0 ? not_finite(failure.name(count))
                                 : not_converged(failure.name(count)));
}

template <class T>
void set_identity(T* columns, int64_t n) {
  std::fill_n(columns, n * n, T(0));
  for (int64_t i = 0; i < n; ++i) columns[i * n + i] = 1;
}

}  // namespace

void compute_lu(ComputeCall& call) {
  with_routines(call, [&](auto zero, const auto& lapack) {
    using T = decltype(zero);
    const Matrices<T> input(call.inputs[0]), output(call.outputs[0]);
    auto* pivots = static_cast<int32_t*>(call.outputs[1].data);
    const int64_t rows = input.rows, columns = input.columns, rank = std::min(rows, columns);
    FirstFailure failure;
    for_each_matrix(call, input.count(), rows * columns * rank, [&](int64_t index) {
      T* a = workspace<T>(kMatrix, rows * columns);
      input.read(index, a);
      const int m = as_int(rows), n = as_int(columns), lda = leading(rows);
      int info = 0;
      if (rank > 0) lapack.getrf(&m, &n, a, &lda, pivots + index * rank, &info);
      if (info > 0) failure.note(index, info);
      output.write(index, a, rows);
    });
    if (failure && unpack<LuAttributes>(call.attributes).singular_fails)
      throw Error(singular_matrix(failure.name(input.count()), failure.info()));
  });
}

void compute_lu_solve(ComputeCall& call) {
  with_routines(call, [&](auto zero, const auto& lapack) {
    using T = decltype(zero);
    const Matrices<T> factors(call.inputs[0]), right(call.inputs[2]), output(call.outputs[0]);
    const bool transposed = unpack<LuSolveAttributes>(call.attributes).transposed;
    const int64_t size = factors.rows, stride = right.columns;
    solve_in_parts(call, right, output, [&](int64_t index, T* x, int columns) {
      const auto* pivots = static_cast<const int32_t*>(call.inputs[1].data) + index * size;
      const auto swap = [&](int64_t row) {
        const int64_t other = pivots[row];
        if (other < 1 || other > size) throw Error(wrong_pivot(other, size));
        if (other != row + 1)
          std::swap_ranges(x + row * stride, x + row * stride + columns, x + (other - 1) * stride);
      };
      const Factor<T> factor(factors, index);
      const int n = as_int(size), x_stride = as_int(stride);
      const auto solve = [&](bool upper) {
        factor.solve(lapack, upper, transposed, !upper, n, columns, x, x_stride);
      };
      if (!transposed)
        for (int64_t row = 0; row < size; ++row) swap(row);
      solve(transposed);
      solve(!transposed);
      if (transposed)
        for (int64_t row = size - 1; row >= 0; --row) swap(row);
    });
  });
}

void compute_pivot_rows(ComputeCall& call) {
  const Shape& pivot_shape = call.inputs[0].layout.shape;
  const int64_t swaps = pivot_shape[pivot_shape.rank() - 1],
                rows = unpack<PivotRowsAttributes>(call.attributes).rows;
  const int64_t count = call.outputs[0].layout.shape.numel() / std::max<int64_t>(rows, 1);
  const auto* pivots = static_cast<const int32_t*>(call.inputs[0].data);
  auto* order = static_cast<int64_t*>(call.outputs[0].data);
  for (int64_t index = 0; index < count; ++index) {
    int64_t* permutation = order + index * rows;
    std::iota(permutation, permutation + rows, int64_t{1});
    for (int64_t i = 0; i < swaps; ++i) {
      const int64_t other = pivots[index * swaps + i];
      if (other < 1 || other > rows) throw Error(wrong_pivot(other, rows));
      std::swap(permutation[i], permutation[other - 1]);
    }
  }
}

void compute_solve_triangular(ComputeCall& call) {
  with_routines(call, [&](auto zero, const auto& lapack) {
    using T = decltype(zero);
    const Matrices<T> factors(call.inputs[0]), right(call.inputs[1]), output(call.outputs[0]);
    const auto [upper, unit] = unpack<TriangularAttributes>(call.attributes);
    solve_in_parts(call, right, output, [&](int64_t index, T* x, int columns) {
      Factor<T>(factors, index)
          .solve(lapack, upper, false, unit, as_int(factors.rows), columns, x,
                 as_int(right.columns));
    });
  });
}

void compute_cholesky(ComputeCall& call) {
  with_routines(call, [&](auto zero, const auto& lapack) {
    using T = decltype(zero);
    const Matrices<T> input(call.inputs[0]), output(call.outputs[0]);
    const int64_t size = input.rows;
    auto* reported =
        call.outputs.size() > 1 ? static_cast<int32_t*>(call.outputs[1].data) : nullptr;
    FirstFailure failure;
    for_each_matrix(call, input.count(), size * size * size / 3, [&](int64_t index) {
      T* a = workspace<T>(kMatrix, size * size);
      input.read(index, a);
      for (int64_t c = 1; c < size; ++c) std::fill_n(a + c * size, c, T(0));
      const int n = as_int(size), lda = leading(size);
      int info = 0;
      if (size > 0) lapack.potrf("L", &n, a, &lda, &info, 1);
      if (reported)
        reported[index] = info;
      else if (info > 0)
        failure.note(index, info);
      output.write(index, a, size);
    });
    if (failure) throw Error(indefinite_matrix(failure.name(input.count()), failure.info()));
  });
}

void compute_qr(ComputeCall& call) {
  with_routines(call, [&](auto zero, const auto& lapack) {
    using T = decltype(zero);
    const Matrices<T> input(call.inputs[0]), q_output(call.outputs[0]), r_output(call.outputs[1]);
    const int64_t rows = input.rows, columns = input.columns, rank = std::min(rows, columns);
    const int64_t width = q_output.columns;  // of Q: rank, or all rows
    for_each_matrix(call, input.count(), 2 * rows * columns * rank, [&](int64_t index) {
      // Large enough for the wider of the matrix and Q.
      T* a = workspace<T>(kMatrix, rows * std::max(columns, width));
      T* r = workspace<T>(kSecond, width * columns);
      T* tau = workspace<T>(kVector, rank);
      input.read(index, a);
      const int m = as_int(rows), n = as_int(columns), k = as_int(rank), lda = leading(rows);
      const int q_columns = as_int(width), query = -1;
      int info = 0;
      if (rank == 0) {  // r has no elements
        if (width == rows) set_identity(a, rows);
      } else {
        T best[2];
        lapack.geqrf(&m, &n, a, &lda, tau, &best[0], &query, &info);
        lapack.orgqr(&m, &q_columns, &k, a, &lda, tau, &best[1], &query, &info);
        const int work_size = static_cast<int>(std::max(best[0], best[1]));
        T* work = workspace<T>(kWork, work_size);
        lapack.geqrf(&m, &n, a, &lda, tau, work, &work_size, &info);
        for (int64_t c = 0; c < columns; ++c)
          for (int64_t i = 0; i < width; ++i) r[c * width + i] = i <= c ? a[c * rows + i] : T(0);
        lapack.orgqr(&m, &q_columns, &k, a, &lda, tau, work, &work_size, &info);
      }
      q_output.write(index, a, rows);
      r_output.write(index, r, width);
    });
  });
}

void compute_geqrf(ComputeCall& call) {
  with_routines(call, [&](auto zero, const auto& lapack) {
    using T = decltype(zero);
    const Matrices<T> input(call.inputs[0]), output(call.outputs[0]);
    auto* factors = static_cast<T*>(call.outputs[1].data);
    const int64_t rows = input.rows, columns = input.columns, rank = std::min(rows, columns);
    for_each_matrix(call, rank ? input.count() : 0, 2 * rows * columns * rank, [&](int64_t index) {
      T* a = workspace<T>(kMatrix, rows * columns);
      input.read(index, a);
      const int m = as_int(rows), n = as_int(columns), lda = leading(rows), query = -1;
      T* tau = factors + index * rank;
      T best;
      int info = 0;
      lapack.geqrf(&m, &n, a, &lda, tau, &best, &query, &info);
      const int work_size = static_cast<int>(best);
      lapack.geqrf(&m, &n, a, &lda, tau, workspace<T>(kWork, work_size), &work_size, &info);
      output.write(index, a, rows);
    });
  });
}

void compute_ldl_factor(ComputeCall& call) {
  with_routines(call, [&](auto zero, const auto& lapack) {
    using T = decltype(zero);
    const Matrices<T> input(call.inputs[0]), output(call.outputs[0]);
    auto* pivots = static_cast<int32_t*>(call.outputs[1].data);
    auto* reported = static_cast<int32_t*>(call.outputs[2].data);
    const int64_t size = input.rows;
    for_each_matrix(call, input.count(), size * size * size / 3, [&](int64_t index) {
      reported[index] = 0;
      if (size == 0) return;
      T* a = workspace<T>(kMatrix, size * size);
      input.read(index, a);
      for (int64_t c = 1; c < size; ++c) std::fill_n(a + c * size, c, T(0));
      const int n = as_int(size), query = -1;
      int* swaps = workspace<int>(kIntegers, size);
      T best;
      int info = 0;
      lapack.sytrf("L", &n, a, &n, swaps, &best, &query, &info, 1);
      const int work_size = static_cast<int>(best);
      lapack.sytrf("L", &n, a, &n, swaps, workspace<T>(kWork, work_size), &work_size, &info, 1);
      std::copy_n(swaps, size, pivots + index * size);
      reported[index] = info;
      output.write(index, a, size);
    });
  });
}

void compute_ldl_solve(ComputeCall& call) {
  with_routines(call, [&](auto zero, const auto& lapack) {
    using T = decltype(zero);
    const Matrices<T> factors(call.inputs[0]), right(call.inputs[2]), output(call.outputs[0]);
    const auto* pivots = static_cast<const int32_t*>(call.inputs[1].data);
    const int64_t size = factors.rows, columns = right.columns;
    const int64_t count = size * columns > 0 ? factors.count() : 0;
    for_each_matrix(call, count, size * size * columns, [&](int64_t index) {
      T* a = workspace<T>(kMatrix, size * size);
      T* b = workspace<T>(kSecond, size * columns);
      int* swaps = workspace<int>(kIntegers, size);
      factors.read(index, a);
      right.read(index, b);
      std::copy_n(pivots + index * size, size, swaps);
      // LAPACK does not check the rows of swaps; one out of range would be outside the matrix.
      for (int64_t i = 0; i < size; ++i)
        if (swaps[i] == 0 || std::abs(swaps[i]) > size)
          throw Error("linalg.ldl_solve: a pivot is out of range: " + std::to_string(swaps[i]));
      const int n = as_int(size), k = as_int(columns);
      int info = 0;
      lapack.sytrs("L", &n, &k, a, &n, swaps, b, &n, &info, 1);
      output.write(index, b, size);
    });
  });
}

void compute_eigh(ComputeCall& call) {
  with_routines(call, [&](auto zero, const auto& lapack) {
    using T = decltype(zero);
    const Matrices<T> input(call.inputs[0]);
    auto* values = static_cast<T*>(call.outputs[0].data);
    const bool vectors = call.outputs.size() > 1;
    const int64_t size = input.rows;
    FirstFailure failure;
    for_each_matrix(call, size ? input.count() : 0, 4 * size * size * size, [&](int64_t index) {
      T* a = workspace<T>(kMatrix, size * size);
      input.read(index, a);
      for (int64_t c = 0; c < size; ++c)
        if (!all_finite(a + c * size + c, size - c)) return failure.note(index, -1);
      const char* job = vectors ? "V" : "N";
      const int n = as_int(size), lda = leading(size), query = -1;
      T* w = values + index * size;
      T best;
      int best_integers, info = 0;
      lapack.syevd(job, "L", &n, a, &lda, w, &best, &query, &best_integers, &query, &info, 1, 1);
      // The workspace size is returned in type T, which may have rounded it down.
      const int work_size = static_cast<int>(std::nextafter(best, INFINITY)) + 1;
      lapack.syevd(job, "L", &n, a, &lda, w, workspace<T>(kWork, work_size), &work_size,
                   workspace<int>(kIntegers, best_integers), &best_integers, &info, 1, 1);
      if (info > 0) return failure.note(index, info);
      if (vectors) Matrices<T>(call.outputs[1]).write(index, a, size);
    });
    if (failure) throw_not_converged(failure, input.count());
  });
}

void compute_svd(ComputeCall& call) {
  with_routines(call, [&](auto zero, const auto& lapack) {
    using T = decltype(zero);
    const Matrices<T> input(call.inputs[0]);
    auto* values = static_cast<T*>(call.outputs[0].data);
    const bool vectors = call.outputs.size() > 1;
    const int64_t rows = input.rows, columns = input.columns, rank = std::min(rows, columns);
    const int64_t u_columns = vectors ? Matrices<T>(call.outputs[1]).columns : 0;
    const int64_t v_rows = vectors ? Matrices<T>(call.outputs[2]).rows : 0;
    FirstFailure failure;
    for_each_matrix(call, input.count(), 8 * rows * columns * rank, [&](int64_t index) {
      T* a = workspace<T>(kMatrix, rows * columns);
      T* u = workspace<T>(kSecond, rows * u_columns);
      T* v = workspace<T>(kThird, v_rows * columns);
      input.read(index, a);
      if (!all_finite(a, rows * columns)) return failure.note(index, -1);
      if (rank == 0) {
        if (u_columns == rows) set_identity(u, rows);
        if (v_rows == columns) set_identity(v, columns);
      } else {
        const char* job = !vectors ? "N" : u_columns == rows && v_rows == columns ? "A" : "S";
        const int m = as_int(rows), n = as_int(columns), query = -1;
        const int lda = leading(rows), ldv = leading(v_rows);
        T* s = values + index * rank;
        int* integers = workspace<int>(kIntegers, 8 * rank);
        T best;
        int info = 0;
        lapack.gesdd(job, &m, &n, a, &lda, s, u, &lda, v, &ldv, &best, &query, integers, &info, 1);
        const int work_size = static_cast<int>(std::nextafter(best, INFINITY)) + 1;
        T* work = workspace<T>(kWork, work_size);
        lapack.gesdd(job, &m, &n, a, &lda, s, u, &lda, v, &ldv, work, &work_size, integers, &info,
                     1);
        if (info > 0) return failure.note(index, info);
      }
      if (!vectors) return;
      Matrices<T>(call.outputs[1]).write(index, u, rows);
      Matrices<T>(call.outputs[2]).write(index, v, v_rows);
    });
    if (failure) throw_not_converged(failure, input.count());
  });
}

}  // namespace tide
