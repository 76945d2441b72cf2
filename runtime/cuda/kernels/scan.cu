// Cumulative sums, minima and maxima along one dimension, a block of a fiber per thread; products,
// whose partial results may overflow where the total does not, a fiber per thread. Floating-point
// fibers are accumulated in double and rounded once per result; integers wrap around.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {
namespace {

/// Calls body(number in g.sums, offset of the first element, number of elements) for the blocks of
/// this thread. Adjacent threads have adjacent fibers.
template <class Body>
__device__ void for_blocks(const ScanArguments& g, const Body& body) {
  const int64_t fibers = g.outer * g.inner;
  for (int64_t item = thread_number(); item < fibers * g.blocks; item += thread_count()) {
    const int64_t fiber = item % fibers, block = item / fibers, first = block * kScanBlock;
    const int64_t left = g.length - first;
    body(fiber * g.blocks + block, (fiber / g.inner * g.length + first) * g.inner + fiber % g.inner,
         left < kScanBlock ? left : kScanBlock);
  }
}

template <class S, class In>
__device__ void sum_blocks(const ScanArguments& g) {
  for_blocks(g, [&](int64_t number, int64_t offset, int64_t count) {
    const In* x = static_cast<const In*>(g.x) + offset;
    S sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += static_cast<S>(widen(x[i * g.inner]));
    static_cast<S*>(g.sums)[number] = sum;
  });
}

/// Sums blocks of contiguous fibers. If each thread read its own block, accesses would not
/// coalesce: instead, a warp loads a slice of one block after the other into shared memory, and
/// each thread scans the slice of its own. Writes the blocks' sums; with `writes` each result.
template <class S, class In, class Out, bool writes>
__device__ void sum_rows(const ScanArguments& g) {
  constexpr int kSlice = 32;
  __shared__ S slices[kScanThreads][kSlice + 1];  // padded against bank conflicts
  __shared__ int64_t offsets[kScanThreads];
  __shared__ int counts[kScanThreads];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kSlice;
  const In* x = static_cast<const In*>(g.x);
  S* sums = static_cast<S*>(g.sums);
  const int64_t all = g.outer * g.blocks;
  const auto longest = static_cast<int>(g.length < kScanBlock ? g.length : kScanBlock);
  for (int64_t base = int64_t{blockIdx.x} * kScanThreads; base < all;
       base += int64_t{gridDim.x} * kScanThreads) {
    const int64_t number = base + thread, first = number % g.blocks * kScanBlock;
    const int64_t left = number < all ? g.length - first : 0;
    const int count = static_cast<int>(left < kScanBlock ? left : kScanBlock);
    offsets[thread] = number / g.blocks * g.length + first;
    counts[thread] = count;
    const S before = writes && count && g.blocks > 1 ? sums[number] : S(0);
    S sum = 0;
    for (int start = 0; start < longest; start += kSlice) {
      __syncthreads();
#pragma unroll 8
      for (int row = thread / kSlice; row < kScanThreads; row += kScanThreads / kSlice)
        if (start + lane < counts[row])
          slices[row][lane] = static_cast<S>(widen(x[offsets[row] + start + lane]));
      __syncthreads();
      const int end = count - start < kSlice ? count - start : kSlice;
#pragma unroll 4
      for (int i = 0; i < end; ++i) {
        sum += slices[thread][i];
        if (writes) slices[thread][i] = before + sum;
      }
      if (!writes) continue;
      __syncthreads();
#pragma unroll 8
      for (int row = thread / kSlice; row < kScanThreads; row += kScanThreads / kSlice)
        if (start + lane < counts[row])
          static_cast<Out*>(g.y)[offsets[row] + start + lane] =
              narrow<Out>(static_cast<Wide<Out>>(slices[row][lane]));
    }
    if (!writes && count) sums[number] = sum;
    __syncthreads();
  }
}

/// Replaces each block's sum by that of all blocks before it. A fiber per thread.
template <class S>
__device__ void add_blocks(const ScanArguments& g) {
  for (int64_t fiber = thread_number(); fiber < g.outer * g.inner; fiber += thread_count()) {
    S* sums = static_cast<S*>(g.sums) + fiber * g.blocks;
    S all = 0;
    for (int64_t block = 0; block < g.blocks; ++block) {
      const S own = sums[block];
      sums[block] = all;
      all += own;
    }
  }
}

/// add_blocks for fibers of many blocks: the threads of a CUDA block load the sums, and one of them
/// adds them up.
template <class S>
__device__ void add_many_blocks(const ScanArguments& g) {
  constexpr int kRound = 1024;
  __shared__ S sums_before[kRound];
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int64_t fiber = blockIdx.x; fiber < g.outer * g.inner; fiber += gridDim.x) {
    S* sums = static_cast<S*>(g.sums) + fiber * g.blocks;
    S all = 0;
    for (int64_t first = 0; first < g.blocks; first += kRound) {
      const int count = static_cast<int>(g.blocks - first < kRound ? g.blocks - first : kRound);
      for (int i = thread; i < count; i += threads) sums_before[i] = sums[first + i];
      __syncthreads();
      if (thread == 0)
#pragma unroll 8
        for (int i = 0; i < count; ++i) {
          const S own = sums_before[i];
          sums_before[i] = all;
          all += own;
        }
      __syncthreads();
      for (int i = thread; i < count; i += threads) sums[first + i] = sums_before[i];
      __syncthreads();
    }
  }
}

template <class S, class In, class Out>
__device__ void running_sums(const ScanArguments& g) {
  for_blocks(g, [&](int64_t number, int64_t offset, int64_t count) {
    const In* x = static_cast<const In*>(g.x) + offset;
    Out* y = static_cast<Out*>(g.y) + offset;
    const S before = g.blocks > 1 ? static_cast<const S*>(g.sums)[number] : S(0);
    S sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      sum += static_cast<S>(widen(x[i * g.inner]));
      y[i * g.inner] = narrow<Out>(static_cast<Wide<Out>>(before + sum));
    }
  });
}

template <class S, class In, class Out>
__device__ void running_products(const ScanArguments& g) {
  for (int64_t fiber = thread_number(); fiber < g.outer * g.inner; fiber += thread_count()) {
    const int64_t offset = fiber / g.inner * g.length * g.inner + fiber % g.inner;
    const In* x = static_cast<const In*>(g.x) + offset;
    Out* y = static_cast<Out*>(g.y) + offset;
    S product = 1;
    for (int64_t i = 0; i < g.length; ++i) {
      product *= static_cast<S>(widen(x[i * g.inner]));
      y[i * g.inner] = narrow<Out>(static_cast<Wide<Out>>(product));
    }
  }
}

/// The last of equal values wins, and nan is above (or below) all.
template <class T>
struct Minmax {
  T value;
  int64_t position;  ///< from 1; 0: none yet

  __device__ void update(T other, int64_t at, bool largest) {
    const Wide<T> a = widen(other), b = widen(value);
    if (position && !is_nan(a) && (is_nan(b) || (largest ? a < b : a > b))) return;
    value = other;
    position = at;
  }
};

/// Writes each result with `writes`, else the minimum or maximum of each block.
template <class T, bool writes>
__device__ void minmax(const ScanArguments& g) {
  for_blocks(g, [&](int64_t number, int64_t offset, int64_t count) {
    const T* x = static_cast<const T*>(g.x) + offset;
    auto* of_blocks = static_cast<Minmax<T>*>(g.sums);
    const int64_t first = number % g.blocks * kScanBlock;
    const bool continues = writes && g.blocks > 1;
    Minmax<T> best = continues ? of_blocks[number] : Minmax<T>{T(0), 0};
    for (int64_t i = 0; i < count; ++i) {
      best.update(x[i * g.inner], first + i + 1, g.largest);
      if (!writes) continue;
      static_cast<T*>(g.y)[offset + i * g.inner] = best.value;
      g.positions[offset + i * g.inner] = best.position;
    }
    if (!writes) of_blocks[number] = best;
  });
}

/// Replaces each block's minimum or maximum by that of all blocks before it.
template <class T>
__device__ void pass_minmax_on(const ScanArguments& g) {
  for (int64_t fiber = thread_number(); fiber < g.outer * g.inner; fiber += thread_count()) {
    auto* of_blocks = static_cast<Minmax<T>*>(g.sums) + fiber * g.blocks;
    Minmax<T> best{T(0), 0};
#pragma unroll 4
    for (int64_t block = 0; block < g.blocks; ++block) {
      const Minmax<T> own = of_blocks[block];
      of_blocks[block] = best;
      best.update(own.value, own.position, g.largest);
    }
  }
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

#define TIDE_SCAN(name, S, In, Out)                                                                \
  extern "C" __global__ void __launch_bounds__(256) sum_blocks_##name(ScanArguments g) {           \
    sum_blocks<S, In>(g);                                                                          \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(256) cumsum_##name(ScanArguments g) {               \
    running_sums<S, In, Out>(g);                                                                   \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(kScanThreads) sum_rows_##name(ScanArguments g) {    \
    sum_rows<S, In, Out, false>(g);                                                                \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(kScanThreads) cumsum_rows_##name(ScanArguments g) { \
    sum_rows<S, In, Out, true>(g);                                                                 \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(256) cumprod_##name(ScanArguments g) {              \
    running_products<S, In, Out>(g);                                                               \
  }
#define TIDE_SCAN_FLOATING(name, T) TIDE_SCAN(name, double, T, T)
#define TIDE_SCAN_INTEGER(name, T) TIDE_SCAN(name, unsigned long long, T, T)
#define TIDE_SCAN_WIDENED(name, T) TIDE_SCAN(name##_i64, unsigned long long, T, int64_t)
TIDE_FLOATING_TYPES(TIDE_SCAN_FLOATING)
TIDE_INTEGER_TYPES(TIDE_SCAN_INTEGER)
TIDE_SCAN_WIDENED(i32, int32_t)
TIDE_SCAN_WIDENED(i16, int16_t)
TIDE_SCAN_WIDENED(i8, int8_t)
TIDE_SCAN_WIDENED(u8, uint8_t)
TIDE_SCAN_WIDENED(bool, uint8_t)

#define TIDE_MINMAX(name, T)                                                                    \
  extern "C" __global__ void __launch_bounds__(256) block_minmax_##name(ScanArguments g) {      \
    minmax<T, false>(g);                                                                        \
  }                                                                                             \
  extern "C" __global__ void __launch_bounds__(256) pass_minmax_on_##name(ScanArguments g) {    \
    pass_minmax_on<T>(g);                                                                       \
  }                                                                                             \
  extern "C" __global__ void __launch_bounds__(256) cumulative_minmax_##name(ScanArguments g) { \
    minmax<T, true>(g);                                                                         \
  }
TIDE_FLOATING_TYPES(TIDE_MINMAX)
TIDE_INTEGER_TYPES(TIDE_MINMAX)
TIDE_MINMAX(bool, uint8_t)

#define TIDE_ADD_BLOCKS(name, S)                                                              \
  extern "C" __global__ void __launch_bounds__(256) add_blocks_##name(ScanArguments g) {      \
    add_blocks<S>(g);                                                                         \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(256) add_many_blocks_##name(ScanArguments g) { \
    add_many_blocks<S>(g);                                                                    \
  }
TIDE_ADD_BLOCKS(floating, double)
TIDE_ADD_BLOCKS(integer, unsigned long long)
