// Binary functions, with the same results as on the CPU, bit for bit.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"
#include "runtime/ir/math/incomplete_gamma.h"
#include "runtime/ir/math/pair_math.h"

namespace tide::cuda {
namespace {

template <class T, class Function>
__device__ void for_pairs(const PairArguments& g, const Function& function) {
  for (int64_t index = thread_number(); index < g.count; index += thread_count()) {
    int64_t at[2];
    find_offsets(index, g.rank, g.shape, {g.a_strides, g.b_strides}, at);
    static_cast<T*>(g.out)[index] =
        function(static_cast<const T*>(g.a)[at[0]], static_cast<const T*>(g.b)[at[1]]);
  }
}

/// igamma, or igammac if `upper`.
template <class T>
__device__ T share_of_gamma_as(T a, T x, bool upper) {
  return narrow<T>(static_cast<Wide<T>>(share_of_gamma(widen(a), widen(x), upper)));
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

#define TIDE_INTEGER_PAIR(name, T)                                                       \
  extern "C" __global__ void __launch_bounds__(256) gcd_##name(PairArguments g) { \
    for_pairs<T>(g, [](T a, T b) { return tide::greatest_divisor(a, b); });       \
  }                                                                               \
  extern "C" __global__ void __launch_bounds__(256) lcm_##name(PairArguments g) { \
    for_pairs<T>(g, [](T a, T b) { return tide::least_multiple(a, b); });         \
  }
TIDE_INTEGER_TYPES(TIDE_INTEGER_PAIR)

#define TIDE_NEXTAFTER(name, T)                                                          \
  extern "C" __global__ void __launch_bounds__(256) nextafter_##name(PairArguments g) {  \
    for_pairs<T>(g, [](T a, T b) { return tide::neighbour(a, b, widen(a), widen(b)); }); \
  }
TIDE_FLOATING_TYPES(TIDE_NEXTAFTER)

#define TIDE_GAMMA(name, T)                                                           \
  extern "C" __global__ void __launch_bounds__(256) igamma_##name(PairArguments g) {  \
    for_pairs<T>(g, [](T a, T x) { return share_of_gamma_as(a, x, false); });         \
  }                                                                                   \
  extern "C" __global__ void __launch_bounds__(256) igammac_##name(PairArguments g) { \
    for_pairs<T>(g, [](T a, T x) { return share_of_gamma_as(a, x, true); });          \
  }
TIDE_FLOATING_TYPES(TIDE_GAMMA)
