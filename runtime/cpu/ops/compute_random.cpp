// Random counts: how many random numbers one takes depends on their values.
#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/strided_walk.h"
#include "runtime/cpu/wide_vectors.h"
#include "runtime/ir/math/count_math.h"

namespace tide {

void compute_random_count(ComputeCall& call) {
  const ArrayView &a = call.inputs[0], &b = call.inputs[1], &keys = call.inputs[2];
  const auto* first = static_cast<const double*>(a.data);
  const auto* second = static_cast<const double*>(b.data);
  const auto* key = static_cast<const int64_t*>(keys.data);
  auto* out = static_cast<double*>(call.outputs[0].data);
  const CountDistribution which = unpack<RandomCountAttributes>(call.attributes).distribution;
  const Shape& shape = a.layout.shape;
  const auto draw = fastest<draw_count>();
  call.parallel->for_range(shape.numel(), 512, [&](int64_t begin, int64_t end) {
    StridedWalk<3> walk(
        shape, {a.layout.strides.data(), b.layout.strides.data(), keys.layout.strides.data()},
        begin);
    for (int64_t i = begin; i < end; ++i, walk.next()) {
      const RandomStream stream(key[walk.offset(2)]);
      out[i] = draw(which, first[walk.offset(0)], second[walk.offset(1)], stream);
    }
  });
}

}  // namespace tide
