// Indices of true elements.
#include "runtime/cuda/launchers/launchers.h"

namespace tide::cuda {

bool launch_nonzero(ComputeLaunch& call) {
  const Shape& shape = call.input_layout(0).shape;
  NonzeroArguments g{};
  g.mask = static_cast<const uint8_t*>(call.input(0));
  g.positions = static_cast<int64_t*>(call.output(0));
  g.count = shape.numel();
  g.tiles = (g.count + kNonzeroTile - 1) / kNonzeroTile;
  g.found = call.output_shape(0)[0];
  g.rank = shape.rank();
  for (int d = 0; d < shape.rank(); ++d) g.shape[d] = shape[d];
  g.starts = static_cast<int64_t*>(
      call.kernels.workspace().get(call.flushed(), static_cast<size_t>(g.tiles) * sizeof(int64_t)));
  run(call, "nonzero", "count_nonzero", g, g.tiles, kNonzeroThreads);
  run(call, "nonzero", "add_counts", g, 1, kNonzeroThreads);
  run(call, "nonzero", "write_nonzero", g, g.tiles, kNonzeroThreads);
  return true;
}

}  // namespace tide::cuda
