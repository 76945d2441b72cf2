// Functions of pairs of numbers, with the cpu's bits.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"
#include "runtime/ops/pair_math.h"

namespace tide::cuda {
namespace {

template <class T, class Function>
__device__ void for_pairs(const PairArguments& g, const Function& function) {
  for (int64_t place = thread_number(); place < g.count; place += thread_count()) {
    int64_t a = 0, b = 0, rest = place;
#pragma unroll 1
    for (int d = g.rank - 1; d >= 0; --d) {
      const int64_t i = rest % g.shape[d];
      rest /= g.shape[d];
      a += i * g.a_strides[d];
      b += i * g.b_strides[d];
    }
    static_cast<T*>(g.out)[place] =
        function(static_cast<const T*>(g.a)[a], static_cast<const T*>(g.b)[b]);
  }
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

#define TIDE_WHOLE(name, T)                                                       \
  extern "C" __global__ void __launch_bounds__(256) gcd_##name(PairArguments g) { \
    for_pairs<T>(g, [](T a, T b) { return tide::greatest_divisor(a, b); });       \
  }                                                                               \
  extern "C" __global__ void __launch_bounds__(256) lcm_##name(PairArguments g) { \
    for_pairs<T>(g, [](T a, T b) { return tide::least_multiple(a, b); });         \
  }
TIDE_INTEGER_TYPES(TIDE_WHOLE)

#define TIDE_NEXTAFTER(name, T)                                                          \
  extern "C" __global__ void __launch_bounds__(256) nextafter_##name(PairArguments g) {  \
    for_pairs<T>(g, [](T a, T b) { return tide::neighbour(a, b, widen(a), widen(b)); }); \
  }
TIDE_FLOATING_TYPES(TIDE_NEXTAFTER)
