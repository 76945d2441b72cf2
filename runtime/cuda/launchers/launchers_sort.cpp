// Sorting.
#include <string>

#include "runtime/cuda/launchers/launchers.h"
#include "runtime/cuda/launchers/sorting.h"

namespace tide::cuda {

bool launch_sort(ComputeLaunch& call) {
  const Shape& shape = call.input_layout(0).shape;
  const DType type = call.step.inputs[0].type;
  const int64_t length = shape.rank() ? shape[shape.rank() - 1] : 1;
  const int64_t results = call.output_shape(0).numel();
  if (results == 0) return true;
  if (length > UINT32_MAX) return false;  // positions have 32 bits, next to keys of 32
  Sorting sorting(call, type, shape.numel() / length, length);
  auto* const memory =
      static_cast<char*>(call.kernels.workspace().get(call.flushed(), sorting.bytes()));
  SortArguments g =
      sorting.run(call.input(0), unpack<SortAttributes>(call.step.attributes).descending, memory);
  g.values = call.output(0);
  g.positions = static_cast<int64_t*>(call.output(1));
  g.kept = results / g.rows;
  run(call, "sort", std::string("write_sorted_") + suffix_of(type), g, blocks_for(results),
      kElementThreads);
  return true;
}

}  // namespace tide::cuda
