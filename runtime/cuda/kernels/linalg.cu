// Factorizations of small matrices, and solvers. A block works on one matrix at a time, in the
// output, and synchronizes between steps. The order of every sum depends only on the sizes of the
// matrix.
#include "runtime/cuda/kernels/matrix.cuh"
#include "runtime/cuda/kernels/reflections.cuh"

namespace tide::cuda {
namespace {

static_assert(kPanel == kWarp);  // a column of a panel for each lane

// --- LU ------------------------------------------------------------------------------------------

/// Called by the first warp: copies column k, from row k on, to `column`, and returns in every lane
/// the row of its largest magnitude, the first of equal ones. Ignores nans if possible.
template <class T>
__device__ int find_pivot(const T* a, int rows, int columns, int k, T* column) {
  const int lane = static_cast<int>(threadIdx.x);
  T best = -1;
  int row = rows;
#pragma unroll 1
  for (int i = k + lane; i < rows; i += kWarp) {
    const T value = a[i * columns + k];
    column[i] = value;
    if (magnitude(value) > best) {
      best = magnitude(value);
      row = i;
    }
  }
#pragma unroll 1
  for (int step = kWarp / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(kAllLanes, best, step);
    const int other_row = __shfl_xor_sync(kAllLanes, row, step);
    if (other > best || (other == best && other_row < row)) {
      best = other;
      row = other_row;
    }
  }
  return row < rows ? row : k;
}

/// Column by column: swaps the pivot's row up, then eliminates below it (Golub and Van Loan, Matrix
/// Computations, 3.4).
template <class T>
__device__ void factor_lu(const LinalgArguments& g) {
  __shared__ T column[kLargestMatrix];
  __shared__ int pivot_row;
  const int rows = g.rows, columns = g.columns, rank = rows < columns ? rows : columns;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const Share share(columns);
  for (int64_t index = blockIdx.x; index < g.count; index += gridDim.x) {
    T* a = result_of<T>(g.out, index, rows * columns);
    copy_matrix(share, matrix_of<T>(g, g.a, index), a, rows, columns);
    int failure = 0;
#pragma unroll 1
    for (int k = 0; k < rank; ++k) {
      __syncthreads();
      if (thread < kWarp) {
        const int row = find_pivot(a, rows, columns, k, column);
        if (thread == 0) {
          pivot_row = row;
          g.pivots[index * rank + k] = row + 1;
        }
      }
      __syncthreads();
      const int p = pivot_row;
      const T pivot = column[p];
      if (pivot == 0 && !failure) failure = k + 1;
#pragma unroll 1
      for (int j = thread; j < columns; j += threads) {
        if (j == k || p == k) continue;
        const T below = a[p * columns + j];
        a[p * columns + j] = a[k * columns + j];
        a[k * columns + j] = below;
      }
#pragma unroll 1
      for (int i = k + thread; i < rows; i += threads) {
        const T value = i == p ? column[k] : column[i];
        a[i * columns + k] = i == k ? pivot : pivot == 0 ? value : value / pivot;
      }
      __syncthreads();
#pragma unroll 1
      for (int i = k + 1 + share.group; i < rows; i += share.groups) {
        const T factor = -a[i * columns + k];
#pragma unroll 1
        for (int j = k + 1 + share.lane; j < columns; j += share.lanes)
          a[i * columns + j] = fused(factor, a[k * columns + j], a[i * columns + j]);
      }
    }
    if (thread == 0) note_failure(g, index, failure);
  }
}

// --- solving -------------------------------------------------------------------------------------

/// The panel of x that a block works on: a column per lane.
template <class T>
struct Panel {
  T* x;  ///< the lane's column
  int64_t stride;
  int rows;
  bool works;  ///< whether the lane has a column
  Share share;

  __device__ T& at(int row) const { return x[row * stride]; }
};

/// Copies panels of right-hand sides to x and calls body(panel, index) for each.
template <class T, class Body>
__device__ void for_panels(const LinalgArguments& g, const Body& body) {
  const int64_t columns = g.b_columns, panels = (columns + kPanel - 1) / kPanel;
  const Share share(columns);
  for (int64_t item = blockIdx.x; item < g.count * panels; item += gridDim.x) {
    const int64_t index = item / panels, column = item % panels * kPanel + share.lane;
    const Panel<T> panel{result_of<T>(g.out, index, g.rows * columns) + column, columns, g.rows,
                         column < columns, share};
    const Source<T> b = matrix_of<T>(g, g.b, index);
    if (panel.works)
#pragma unroll 1
      for (int row = share.group; row < panel.rows; row += share.groups)
        panel.at(row) = b.at(row, column);
    __syncthreads();
    body(panel, index);
  }
}

/// Replaces x by the solution of a triangular system. Each solved row is eliminated from the
/// others. Every thread divides by the diagonal itself, and the quotients are stored at the end, so
/// that one synchronization per row suffices.
template <class T>
__device__ void substitute(const Panel<T>& panel, const Source<T>& a, bool upper, bool unit) {
  const Share& share = panel.share;
  const int rows = panel.rows;
#pragma unroll 1
  for (int step = 0; step < rows; ++step) {
    const int s = upper ? rows - 1 - step : step;
    if (panel.works) {
      const T known = unit ? panel.at(s) : panel.at(s) / a.at(s, s);
      const int end = upper ? s : rows;
#pragma unroll 1
      for (int i = (upper ? 0 : s + 1) + share.group; i < end; i += share.groups)
        panel.at(i) = fused(-a.at(i, s), known, panel.at(i));
    }
    __syncthreads();
  }
  if (unit) return;
  if (panel.works)
#pragma unroll 1
    for (int s = share.group; s < rows; s += share.groups) panel.at(s) /= a.at(s, s);
  __syncthreads();
}

/// Exchanges rows of x by the pivots, or undoes that.
template <class T>
__device__ void exchange_rows(const Panel<T>& panel, const int32_t* pivots, bool back) {
  if (panel.works && panel.share.group == 0)
#pragma unroll 1
    for (int step = 0; step < panel.rows; ++step) {
      const int row = back ? panel.rows - 1 - step : step, other = pivots[row] - 1;
      const T value = panel.at(row);
      panel.at(row) = panel.at(other);
      panel.at(other) = value;
    }
  __syncthreads();
}

template <class T>
__device__ void solve_triangular(const LinalgArguments& g) {
  for_panels<T>(g, [&](const Panel<T>& panel, int64_t index) {
    substitute(panel, matrix_of<T>(g, g.a, index), g.upper, g.unit);
  });
}

template <class T>
__device__ void solve_factored(const LinalgArguments& g) {
  for_panels<T>(g, [&](const Panel<T>& panel, int64_t index) {
    const Source<T> lu = matrix_of<T>(g, g.a, index);
    const int32_t* pivots = g.pivots + index * g.rows;
    const bool transposed = g.transposed;
    const Source<T> a = transposed ? Source<T>{lu.data, lu.column, lu.row} : lu;
    if (!transposed) exchange_rows(panel, pivots, false);
#pragma unroll 1
    for (int half = 0; half < 2; ++half)  // L then U, or U' then L'
      substitute(panel, a, half == 1, transposed == (half == 1));
    if (transposed) exchange_rows(panel, pivots, true);
  });
}

// --- Cholesky ------------------------------------------------------------------------------------

/// Column by column, like LU, in the lower triangle.
template <class T>
__device__ void factor_cholesky(const LinalgArguments& g) {
  __shared__ T column[kLargestMatrix];
  const int size = g.rows;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const Share share(size);
  for (int64_t index = blockIdx.x; index < g.count; index += gridDim.x) {
    T* a = result_of<T>(g.out, index, size * size);
    const Source<T> from = matrix_of<T>(g, g.a, index);
#pragma unroll 1
    for (int r = share.group; r < size; r += share.groups)
#pragma unroll 1
      for (int c = share.lane; c < size; c += share.lanes)
        a[r * size + c] = c <= r ? from.at(r, c) : T(0);
    int failure = 0;
#pragma unroll 1
    for (int k = 0; k < size; ++k) {
      __syncthreads();
      const T square = a[k * size + k];
      if (square <= 0) {
        failure = k + 1;
        break;
      }
      const T pivot = root(square);
#pragma unroll 1
      for (int i = k + 1 + thread; i < size; i += threads)
        a[i * size + k] = column[i] = a[i * size + k] / pivot;
      __syncthreads();
      if (thread == 0) a[k * size + k] = pivot;
#pragma unroll 1
      for (int i = k + 1 + share.group; i < size; i += share.groups) {
        const T factor = -column[i];
#pragma unroll 1
        for (int j = k + 1 + share.lane; j <= i; j += share.lanes)
          a[i * size + j] = fused(factor, column[j], a[i * size + j]);
      }
    }
    if (thread != 0) continue;
    if (g.info) g.info[index] = failure;
    note_failure(g, index, failure);
  }
}

// --- QR ------------------------------------------------------------------------------------------

/// Reflections zero one column after the other, in the output that has the matrix's size.
template <class T>
__device__ void factor_qr(const LinalgArguments& g) {
  __shared__ T v[kLargestMatrix], taus[kLargestMatrix], sums[kMostWarps * kLargestMatrix];
  const int rows = g.rows, columns = g.columns, width = g.width;
  const int rank = rows < columns ? rows : columns;
  const bool in_r = width == rows;
  const Share share(columns), q_share(width);
  for (int64_t index = blockIdx.x; index < g.count; index += gridDim.x) {
    T* q = result_of<T>(g.out, index, rows * width);
    T* r = result_of<T>(g.r, index, width * columns);
    T* a = in_r ? r : q;
    copy_matrix(share, matrix_of<T>(g, g.a, index), a, rows, columns);
#pragma unroll 1
    for (int k = 0; k < rank; ++k) {
      __syncthreads();
      if (threadIdx.x < kWarp) {
        const T tau = reflect_column(a, rows, columns, k, v);
        if (threadIdx.x == 0) taus[k] = tau;
      }
      __syncthreads();
      apply<T>({v, sums, k, rows, taus[k]}, a, columns, k + 1);
    }
    __syncthreads();
    if (in_r) {
#pragma unroll 1
      for (int i = q_share.group; i < rows; i += q_share.groups)
#pragma unroll 1
        for (int j = q_share.lane; j < width; j += q_share.lanes) q[i * width + j] = i == j;
      form_q(g, q, r, taus, v, sums);
    }
#pragma unroll 1
    for (int i = share.group; i < width; i += share.groups)
#pragma unroll 1
      for (int j = share.lane; j < columns; j += share.lanes)
        r[i * columns + j] = j < i ? T(0) : a[i * columns + j];
    if (!in_r) form_q(g, q, q, taus, v, sums);
    __syncthreads();
  }
}

// --- pivots and failures -------------------------------------------------------------------------

/// A thread for each matrix.
__device__ void order_rows(const PivotArguments& g) {
  for (int64_t index = thread_number(); index < g.count; index += thread_count()) {
    int64_t* order = g.order + index * g.rows;
#pragma unroll 1
    for (int64_t i = 0; i < g.rows; ++i) order[i] = i + 1;
#pragma unroll 1
    for (int64_t i = 0; i < g.swaps; ++i) {
      const int64_t element = index * g.swaps + i, other = g.pivots[element];
      if (other < 1 || other > g.rows) {
        atomicMin(g.first_failure, static_cast<unsigned long long>(element));
        break;
      }
      const int64_t row = order[i];
      order[i] = order[other - 1];
      order[other - 1] = row;
    }
  }
}

__device__ void report(const ReportArguments& g) {
  const unsigned long long first = *g.first_failure;
  if (first == ~0ull) return;
  *g.first_failure = ~0ull;
  g.report->what = g.values ? g.values[first] : static_cast<int64_t>(first);
  g.report->wrong = 1;
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

#define TIDE_LINALG(name, T)                                                                     \
  extern "C" __global__ void __launch_bounds__(256) lu_##name(LinalgArguments g) {               \
    factor_lu<T>(g);                                                                             \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(256) lu_solve_##name(LinalgArguments g) {         \
    solve_factored<T>(g);                                                                        \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(256) solve_triangular_##name(LinalgArguments g) { \
    tide::cuda::solve_triangular<T>(g);                                                          \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(256) cholesky_##name(LinalgArguments g) {         \
    factor_cholesky<T>(g);                                                                       \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(256) qr_##name(LinalgArguments g) {               \
    factor_qr<T>(g);                                                                             \
  }
TIDE_LINALG(f32, float)
TIDE_LINALG(f64, double)

extern "C" __global__ void __launch_bounds__(256) pivot_rows(PivotArguments g) { order_rows(g); }
extern "C" __global__ void __launch_bounds__(1) report_failure(ReportArguments g) { report(g); }
