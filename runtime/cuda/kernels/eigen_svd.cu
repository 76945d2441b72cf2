// Eigenvalues and singular values of small matrices by Jacobi's method: rotates disjoint pairs of
// columns in parallel until convergence. A block works on one matrix at a time. The order of every
// sum depends only on the sizes of the matrix.
#include "runtime/cuda/kernels/matrix.cuh"
#include "runtime/cuda/kernels/reflections.cuh"

namespace tide::cuda {
namespace {

constexpr int kMostSweeps = 40;  ///< over all pairs; matrices of this size take about ten

template <class T>
struct Precision;
template <>
struct Precision<float> {
  static constexpr float kEpsilon = 0x1p-23f, kInfinity = __builtin_huge_valf();
  static constexpr float kNothing = kEpsilon / 32;  ///< negligible in a matrix with maximum 1
  static constexpr int kMostExponent = 126;
};
template <>
struct Precision<double> {
  static constexpr double kEpsilon = 0x1p-52, kInfinity = __builtin_huge_val();
  static constexpr double kNothing = kEpsilon / 32;
  static constexpr int kMostExponent = 1022;
};

__device__ inline float times_power(float x, int exponent) { return ldexpf(x, exponent); }
__device__ inline double times_power(double x, int exponent) { return ldexp(x, exponent); }

/// Called by all threads: the maximum of their values, or nan if there is one.
template <class T>
__device__ T largest_of_block(T mine, T* of_warps) {
#pragma unroll 1
  for (int step = kWarp / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(kAllLanes, mine, step);
    if (other > mine || is_nan(other)) mine = other;
  }
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = mine;
  __syncthreads();
  T largest = of_warps[0];
#pragma unroll 1
  for (int warp = 1; warp < static_cast<int>(blockDim.x) / kWarp; ++warp)
    if (of_warps[warp] > largest || is_nan(of_warps[warp])) largest = of_warps[warp];
  __syncthreads();
  return largest;
}

/// Called by all threads: scales the matrix to a maximum between 1 and 2, so that squares cannot
/// overflow. Returns the exponent of the power of two; sets `finite` to whether the matrix is.
template <class T>
__device__ int scale_block(T* a, int64_t size, T* of_warps, bool& finite) {
  T mine = 0;
#pragma unroll 1
  for (int64_t i = threadIdx.x; i < size; i += blockDim.x)
    if (magnitude(a[i]) > mine || is_nan(a[i])) mine = magnitude(a[i]);
  const T largest = largest_of_block(mine, of_warps);
  finite = largest < Precision<T>::kInfinity;
  if (!finite || largest == 0) return 0;
  const int wanted = -ilogb(largest), most = Precision<T>::kMostExponent;
  const int exponent = wanted < most ? wanted : most;
#pragma unroll 1
  for (int64_t i = threadIdx.x; i < size; i += blockDim.x) a[i] = times_power(a[i], exponent);
  return exponent;
}

template <class T>
__device__ void set_identity(T* a, int rows, int columns) {
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < rows * columns; i += static_cast<int>(blockDim.x))
    a[i] = i / columns == i % columns;
}

/// Pair `pair` of round `round` of a round-robin tournament of `size` columns: all but the last
/// column rotate around a circle.
struct Pair {
  int p, q;

  __device__ Pair(int size, int round, int pair) {
    const int circle = size - 1;
    p = pair ? (round + pair) % circle : circle;
    q = (round + circle - pair) % circle;
  }
};

/// Columns p and q become cosine p - sine q and sine p + cosine q, in the form of Rutishauser (The
/// Jacobi method for real symmetric matrices, 1966): the smaller the angle, the smaller the
/// rounding error.
template <class T>
struct Rotation {
  T sine, half_tangent, tangent;  ///< of half the angle, and of the angle

  /// The smaller angle for cotangent(2 angle).
  __device__ static Rotation of_double(T cotangent) {
    const T size = magnitude(cotangent), limit = 1 / Precision<T>::kEpsilon;
    // Beyond the limit adding 1 has no effect, and the square may overflow.
    const T least = size > limit ? T(0.5) / size : 1 / (size + root(fused(size, size, T(1))));
    const T tangent = with_sign_of(least, cotangent);
    const T cosine = 1 / root(fused(tangent, tangent, T(1))), sine = tangent * cosine;
    return {sine, sine / (1 + cosine), tangent};
  }

  __device__ void apply(T& p, T& q) const {
    const T x = p, y = q;
    p = fused(-sine, fused(half_tangent, x, y), x);
    q = fused(sine, fused(-half_tangent, y, x), y);
  }
};

/// The rank of value `i` among `count` in ascending (or descending) order; stable.
template <class T>
__device__ int rank_of(const T* values, int count, int i, bool descend) {
  int rank = 0;
#pragma unroll 1
  for (int j = 0; j < count; ++j) {
    const T other = values[j], own = values[i];
    rank += (descend ? other > own : other < own) || (other == own && j < i);
  }
  return rank;
}

// --- symmetric matrices --------------------------------------------------------------------------

/// One round of pairs: each rotation zeroes the element of its pair (Golub and Van Loan, Matrix
/// Computations, 8.5). The rows of one pair and the columns of another share four elements, which
/// are updated independently of all others. Vectors are the rows of v. Returns whether any pair was
/// rotated.
template <class T>
__device__ bool rotate_symmetric(T* a, T* v, int size, int round, Rotation<T>* rotations) {
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int pairs = size / 2;
  bool rotates = false;
#pragma unroll 1
  for (int pair = thread; pair < pairs; pair += threads) {
    const Pair k(size, round, pair);
    const T element = a[k.p * size + k.q];
    Rotation<T> rotation = {0, 0, 0};
    if (magnitude(element) > Precision<T>::kNothing) {
      rotation =
          Rotation<T>::of_double((a[k.q * size + k.q] - a[k.p * size + k.p]) / (2 * element));
      rotates = true;
    }
    rotations[pair] = rotation;
  }
  if (!__syncthreads_or(rotates)) return false;
#pragma unroll 1
  for (int item = thread; item < pairs * pairs; item += threads) {
    const int first = item / pairs, second = item % pairs;
    if (first > second) continue;
    const Pair k(size, round, first), l(size, round, second);
    const Rotation<T> rows = rotations[first], columns = rotations[second];
    if (first == second) {
      const T step = rows.tangent * a[k.p * size + k.q];
      if (step == 0) continue;
      a[k.p * size + k.p] -= step;
      a[k.q * size + k.q] += step;
      a[k.p * size + k.q] = a[k.q * size + k.p] = 0;
      continue;
    }
    T pp = a[k.p * size + l.p], pq = a[k.p * size + l.q];
    T qp = a[k.q * size + l.p], qq = a[k.q * size + l.q];
    rows.apply(pp, qp);
    rows.apply(pq, qq);
    columns.apply(pp, pq);
    columns.apply(qp, qq);
    a[k.p * size + l.p] = a[l.p * size + k.p] = pp;
    a[k.p * size + l.q] = a[l.q * size + k.p] = pq;
    a[k.q * size + l.p] = a[l.p * size + k.q] = qp;
    a[k.q * size + l.q] = a[l.q * size + k.q] = qq;
  }
  if (v)
#pragma unroll 1
    for (int item = thread; item < pairs * size; item += threads) {
      const int pair = item / size, column = item % size;
      const Pair k(size, round, pair);
      rotations[pair].apply(v[k.p * size + column], v[k.q * size + column]);
    }
  __syncthreads();
  return true;
}

template <class T>
__device__ void find_eigenvalues(const EigenSvdArguments& g) {
  __shared__ Rotation<T> rotations[kLargestEigenSvd / 2];
  __shared__ T values[kLargestEigenSvd], of_warps[kMostWarps];
  const int rows = g.rows, size = static_cast<int>(paired(rows));
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  T* a = result_of<T>(g.work, blockIdx.x, eigen_svd_work(true, rows, rows));
  T* v = g.vectors ? a + size * size : nullptr;
  for (int64_t index = blockIdx.x; index < g.count; index += gridDim.x) {
    const Source<T> from = matrix_of<T>(g, g.a, index);
#pragma unroll 1
    for (int i = thread; i < size * size; i += threads) {
      const int r = i / size, c = i % size;  // reads the lower triangle
      a[i] = r >= rows || c >= rows ? T(0) : from.at(r > c ? r : c, r > c ? c : r);
    }
    if (v) set_identity(v, size, size);
    bool finite;
    const int exponent = scale_block(a, size * size, of_warps, finite);
    __syncthreads();
    int left = finite ? kMostSweeps : 0;
    for (bool rotated = true; left && rotated; --left) {
      rotated = false;
#pragma unroll 1
      for (int round = 0; round < size - 1; ++round)
        rotated |= rotate_symmetric(a, v, size, round, rotations);
    }
    if (thread == 0) note_failure(g, index, !finite ? kNotFinite : left ? 0 : kNotConverged);
#pragma unroll 1
    for (int i = thread; i < rows; i += threads) values[i] = a[i * size + i];
    __syncthreads();
    T* out = result_of<T>(g.values, index, rows);
#pragma unroll 1
    for (int i = thread; i < rows; i += threads) {
      const int rank = finite ? rank_of(values, rows, i, false) : i;  // nan has no rank
      out[rank] = times_power(values[i], -exponent);
      if (!v) continue;
      T* vectors = result_of<T>(g.vectors, index, rows * rows);
#pragma unroll 1
      for (int r = 0; r < rows; ++r) vectors[r * rows + rank] = v[i * size + r];
    }
    __syncthreads();
  }
}

// --- any matrices --------------------------------------------------------------------------------

template <class T>
__device__ T sum_of_warp(T sum) {
#pragma unroll 1
  for (int step = kWarp / 2; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
  return sum;
}

/// One round of pairs, a warp each: makes rows p and q of w (size, length) orthogonal, and applies
/// the same rotation to v (size, size) unless it is null (Hestenes 1958; Golub and Van Loan, 8.6).
/// Returns whether this warp rotated a pair.
template <class T>
__device__ bool rotate_rows(T* w, T* v, int size, int length, int round) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  bool rotates = false;
#pragma unroll 1
  for (int pair = static_cast<int>(threadIdx.x) / kWarp; pair < size / 2; pair += warps) {
    const Pair k(size, round, pair);
    T *p = w + k.p * length, *q = w + k.q * length;
    T p_square = 0, q_square = 0, product = 0;
#pragma unroll 1
    for (int i = lane; i < length; i += kWarp) {
      p_square = fused(p[i], p[i], p_square);
      q_square = fused(q[i], q[i], q_square);
      product = fused(p[i], q[i], product);
    }
    p_square = sum_of_warp(p_square);
    q_square = sum_of_warp(q_square);
    product = sum_of_warp(product);
    const T p_size = root(p_square), q_size = root(q_square);
    // A column may be negligible next to the others. A smaller product may be a rounding error of
    // 0.
    const T least = Precision<T>::kEpsilon * 2 * (1 + root(static_cast<T>(length)));
    const bool oblique = magnitude(product) > least * p_size * q_size;
    if (!(oblique && p_size > Precision<T>::kNothing && q_size > Precision<T>::kNothing)) continue;
    rotates = true;
    const auto rotation = Rotation<T>::of_double((q_square - p_square) / (2 * product));
#pragma unroll 1
    for (int i = lane; i < length; i += kWarp) rotation.apply(p[i], q[i]);
    if (!v) continue;
#pragma unroll 1
    for (int i = lane; i < size; i += kWarp) rotation.apply(v[k.p * size + i], v[k.q * size + i]);
  }
  return rotates;
}

/// Sizes of a matrix and of the orthogonal matrix from its reflections.
struct Sides {
  int rows, columns, width;
};

/// Completes orthonormal columns, some of which may be zero, to `width` orthonormal ones in q. The
/// reflections only change a column's sign, which is then on the diagonal of `columns`.
template <class T>
__device__ void complete(T* columns, int length, int count, int width, T* q) {
  __shared__ T v[kLargestMatrix], taus[kLargestEigenSvd], sums[kMostWarps * kLargestMatrix];
#pragma unroll 1
  for (int k = 0; k < count; ++k) {
    __syncthreads();
    if (threadIdx.x < kWarp) {
      const T tau = reflect_column(columns, length, count, k, v);
      if (threadIdx.x == 0) taus[k] = tau;
    }
    __syncthreads();
    apply<T>({v, sums, k, length, taus[k]}, columns, count, k + 1);
  }
  set_identity(q, length, width);
  form_q(Sides{length, count, width}, q, columns, taus, v, sums);
}

/// Makes the columns of the matrix, or of its transpose if that is longer, orthogonal: their
/// lengths are the singular values.
template <class T>
__device__ void find_singular_values(const EigenSvdArguments& g) {
  __shared__ T values[kLargestEigenSvd], of_warps[kMostWarps];
  __shared__ int ranks[kLargestEigenSvd];
  const bool tall = g.rows >= g.columns;
  const int length = tall ? g.rows : g.columns, count = tall ? g.columns : g.rows;
  const int size = static_cast<int>(paired(count)), width = g.width;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  T* w = result_of<T>(g.work, blockIdx.x, eigen_svd_work(false, length, count));
  T* v = g.vectors ? w + size * length : nullptr;
  T *columns = w + size * length + size * size, *q = columns + length * count;
  for (int64_t index = blockIdx.x; index < g.count; index += gridDim.x) {
    const Source<T> from = matrix_of<T>(g, g.a, index);
#pragma unroll 1
    for (int i = thread; i < size * length; i += threads) {
      const int k = i / length, j = i % length;
      w[i] = k >= count ? T(0) : tall ? from.at(j, k) : from.at(k, j);
    }
    if (v) set_identity(v, size, size);
    bool finite;
    const int exponent = scale_block(w, size * length, of_warps, finite);
    __syncthreads();
    int left = finite ? kMostSweeps : 0;
    for (bool rotated = true; left && rotated; --left) {
      rotated = false;
#pragma unroll 1
      for (int round = 0; round < size - 1; ++round)
        rotated |= __syncthreads_or(rotate_rows(w, v, size, length, round)) != 0;
    }
    if (thread == 0) note_failure(g, index, !finite ? kNotFinite : left ? 0 : kNotConverged);
#pragma unroll 1
    for (int k = thread / kWarp; k < count; k += threads / kWarp) {
      T square = 0;
#pragma unroll 1
      for (int i = thread % kWarp; i < length; i += kWarp)
        square = fused(w[k * length + i], w[k * length + i], square);
      square = sum_of_warp(square);
      if (thread % kWarp == 0) values[k] = root(square);
    }
    __syncthreads();
    T* out = result_of<T>(g.values, index, count);
#pragma unroll 1
    for (int k = thread; k < count; k += threads) {
      ranks[k] = finite ? rank_of(values, count, k, true) : k;  // nan has no rank
      out[ranks[k]] = times_power(values[k], -exponent);
    }
    __syncthreads();
    if (!v) continue;
    // A (or its transpose) is the sum of value * long vector * short vector'.
    T* left_vectors = result_of<T>(g.vectors, index, g.rows * (tall ? width : count));
    T* right_vectors = result_of<T>(g.right, index, g.columns * (tall ? count : width));
#pragma unroll 1
    for (int i = thread; i < length * count; i += threads) {
      const int k = i / length, j = i % length;
      columns[j * count + ranks[k]] = values[k] > Precision<T>::kNothing ? w[i] / values[k] : T(0);
    }
#pragma unroll 1
    for (int i = thread; i < count * count; i += threads) {
      const int k = i / count, j = i % count;
      (tall ? right_vectors[ranks[k] * count + j] : left_vectors[j * count + ranks[k]]) =
          v[k * size + j];
    }
    __syncthreads();
    complete(columns, length, count, width, q);
#pragma unroll 1
    for (int i = thread; i < length * width; i += threads) {
      const int j = i / width, k = i % width;
      const T value = k < count && columns[k * count + k] < 0 ? -q[i] : q[i];
      (tall ? left_vectors[i] : right_vectors[k * length + j]) = value;
    }
    __syncthreads();
  }
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

#define TIDE_EIGEN_SVD(name, T)                                                        \
  extern "C" __global__ void __launch_bounds__(256) eigh_##name(EigenSvdArguments g) { \
    find_eigenvalues<T>(g);                                                            \
  }                                                                                    \
  extern "C" __global__ void __launch_bounds__(256) svd_##name(EigenSvdArguments g) {  \
    find_singular_values<T>(g);                                                        \
  }
TIDE_EIGEN_SVD(f32, float)
TIDE_EIGEN_SVD(f64, double)
