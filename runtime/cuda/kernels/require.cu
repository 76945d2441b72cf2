// Checks that no element is 0: a kernel for each size of element.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {
namespace {

template <class T>
__device__ void require(const RequireArguments& g) {
  bool met = true;
  for (int64_t index = thread_number(); index < g.count; index += thread_count()) {
    int64_t at[1];
    find_offsets(index, g.rank, g.shape, {g.strides}, at);
    met &= static_cast<const T*>(g.x)[at[0]] != 0;
  }
  if (thread_number() == 0) *static_cast<T*>(g.out) = 0;
  if (!met) g.report->wrong = 1;
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

#define TIDE_REQUIRE(size, T)                                                            \
  extern "C" __global__ void __launch_bounds__(256) require_##size(RequireArguments g) { \
    require<T>(g);                                                                       \
  }
TIDE_REQUIRE(1, uint8_t)
TIDE_REQUIRE(2, uint16_t)
TIDE_REQUIRE(4, uint32_t)
TIDE_REQUIRE(8, uint64_t)
