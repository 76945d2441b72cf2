// Running sums along one dimension, a block of a lane per thread; products and extremes, a lane per
// thread. Floating lanes are accumulated in double and rounded once per result; integers wrap
// around.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {
namespace {

/// Calls body(number in g.sums, offset of the first element, number of elements) for the blocks of
/// this thread. Neighbouring threads have neighbouring lanes.
template <class Body>
__device__ void for_blocks(const ScanArguments& g, const Body& body) {
  const int64_t lanes = g.outer * g.inner;
  for (int64_t item = thread_number(); item < lanes * g.blocks; item += thread_count()) {
    const int64_t lane = item % lanes, block = item / lanes, first = block * kScanBlock;
    const int64_t left = g.length - first;
    body(lane * g.blocks + block, (lane / g.inner * g.length + first) * g.inner + lane % g.inner,
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

/// The sum of each block becomes that of all before it.
template <class S>
__device__ void add_blocks(const ScanArguments& g) {
  for (int64_t lane = thread_number(); lane < g.outer * g.inner; lane += thread_count()) {
    S* sums = static_cast<S*>(g.sums) + lane * g.blocks;
    S all = 0;
    for (int64_t block = 0; block < g.blocks; ++block) {
      const S own = sums[block];
      sums[block] = all;
      all += own;
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
  for (int64_t lane = thread_number(); lane < g.outer * g.inner; lane += thread_count()) {
    const int64_t offset = lane / g.inner * g.length * g.inner + lane % g.inner;
    const In* x = static_cast<const In*>(g.x) + offset;
    Out* y = static_cast<Out*>(g.y) + offset;
    S product = 1;
    for (int64_t i = 0; i < g.length; ++i) {
      product *= static_cast<S>(widen(x[i * g.inner]));
      y[i * g.inner] = narrow<Out>(static_cast<Wide<Out>>(product));
    }
  }
}

/// Of equal values the last counts, and a nan is above (or below) all.
template <class T>
__device__ void extremes(const ScanArguments& g) {
  for (int64_t lane = thread_number(); lane < g.outer * g.inner; lane += thread_count()) {
    const int64_t offset = lane / g.inner * g.length * g.inner + lane % g.inner;
    const T* x = static_cast<const T*>(g.x) + offset;
    T* values = static_cast<T*>(g.y) + offset;
    if (g.length == 0) continue;
    T best = x[0];
    int64_t position = 1;
    for (int64_t i = 0; i < g.length; ++i) {
      const T value = x[i * g.inner];
      const Wide<T> a = widen(value), b = widen(best);
      if (is_nan(a) || (!is_nan(b) && (g.largest ? a >= b : a <= b))) {
        best = value;
        position = i + 1;
      }
      values[i * g.inner] = best;
      g.positions[offset + i * g.inner] = position;
    }
  }
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

#define TIDE_SCAN(name, S, In, Out)                                                      \
  extern "C" __global__ void __launch_bounds__(256) sum_blocks_##name(ScanArguments g) { \
    sum_blocks<S, In>(g);                                                                \
  }                                                                                      \
  extern "C" __global__ void __launch_bounds__(256) cumsum_##name(ScanArguments g) {     \
    running_sums<S, In, Out>(g);                                                         \
  }                                                                                      \
  extern "C" __global__ void __launch_bounds__(256) cumprod_##name(ScanArguments g) {    \
    running_products<S, In, Out>(g);                                                     \
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

#define TIDE_EXTREME(name, T)                                                                    \
  extern "C" __global__ void __launch_bounds__(256) cumulative_extreme_##name(ScanArguments g) { \
    extremes<T>(g);                                                                              \
  }
TIDE_FLOATING_TYPES(TIDE_EXTREME)
TIDE_INTEGER_TYPES(TIDE_EXTREME)
TIDE_EXTREME(bool, uint8_t)

extern "C" __global__ void __launch_bounds__(256) add_blocks_floating(ScanArguments g) {
  add_blocks<double>(g);
}
extern "C" __global__ void __launch_bounds__(256) add_blocks_integer(ScanArguments g) {
  add_blocks<unsigned long long>(g);
}
