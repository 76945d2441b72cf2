// Random counts of events.
#include "runtime/cuda/launchers/launchers.h"

namespace tide::cuda {

bool launch_random(ComputeLaunch& call) {
  const Layout &a = call.input_layout(0), &b = call.input_layout(1), &keys = call.input_layout(2);
  CountArguments g{};
  g.a = static_cast<const double*>(call.input(0));
  g.b = static_cast<const double*>(call.input(1));
  g.keys = static_cast<const int64_t*>(call.input(2));
  g.out = static_cast<double*>(call.output(0));
  g.distribution = static_cast<int64_t>(
      CountDistribution(unpack<RandomCountAttributes>(call.step.attributes).distribution));
  g.count = a.shape.numel();
  g.rank = a.rank();
  for (int d = 0; d < g.rank; ++d) {
    g.shape[d] = a.shape[d];
    g.a_strides[d] = a.strides[d];
    g.b_strides[d] = b.strides[d];
    g.key_strides[d] = keys.strides[d];
  }
  run(call, "random", "random_count", g, blocks_for(g.count), kElementThreads);
  return true;
}

}  // namespace tide::cuda
