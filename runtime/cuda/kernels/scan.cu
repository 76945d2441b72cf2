// Running sums, products and extremes along one dimension, a lane per thread. Floating lanes are
// accumulated in double and rounded once per result; integers wrap around.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {
namespace {

template <class S, class In, class Out, bool kProduct>
__device__ void accumulate(const ScanArguments& g) {
  for (int64_t lane = thread_number(); lane < g.outer * g.inner; lane += thread_count()) {
    const int64_t offset = lane / g.inner * g.length * g.inner + lane % g.inner;
    const In* x = static_cast<const In*>(g.x) + offset;
    Out* y = static_cast<Out*>(g.y) + offset;
    S sum = kProduct ? S(1) : S(0);
    for (int64_t i = 0; i < g.length; ++i) {
      const S value = static_cast<S>(widen(x[i * g.inner]));
      sum = kProduct ? sum * value : sum + value;
      y[i * g.inner] = narrow<Out>(static_cast<Wide<Out>>(sum));
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

#define TIDE_SCAN(name, S, In, Out)                                                   \
  extern "C" __global__ void __launch_bounds__(256) cumsum_##name(ScanArguments g) {  \
    accumulate<S, In, Out, false>(g);                                                 \
  }                                                                                   \
  extern "C" __global__ void __launch_bounds__(256) cumprod_##name(ScanArguments g) { \
    accumulate<S, In, Out, true>(g);                                                  \
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
