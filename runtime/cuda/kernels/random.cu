// Random counts, with the same results as on the CPU, bit for bit.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"
#include "runtime/ir/math/count_math.h"

using namespace tide::cuda;

extern "C" __global__ void __launch_bounds__(256) random_count(CountArguments g) {
  for (int64_t index = thread_number(); index < g.count; index += thread_count()) {
    int64_t at[3];
    find_offsets(index, g.rank, g.shape, {g.a_strides, g.b_strides, g.key_strides}, at);
    tide::RandomStream stream(g.keys[at[2]]);
    g.out[index] = tide::draw_count(static_cast<tide::CountDistribution>(g.distribution),
                                    g.a[at[0]], g.b[at[1]], stream);
  }
}
