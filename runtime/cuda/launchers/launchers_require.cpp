// Checks the values of an op's input.
#include <string>

#include "runtime/cuda/launchers/launchers.h"
#include "runtime/ir/compute_failure.h"

namespace tide::cuda {

bool launch_require(ComputeLaunch& call) {
  const Requirement requirement = unpack<RequireAttributes>(call.step.attributes).requirement;
  if (requirement == Requirement::position) return launch_position_check(call);
  const Layout& x = call.input_layout(0);
  RequireArguments g{};
  g.x = call.input(0);
  g.out = call.output(0);
  g.count = x.shape.numel();
  if (x.is_dense()) {
    g.rank = 1;
    g.shape[0] = g.count;
    g.strides[0] = 1;
  } else {
    g.rank = x.rank();
    for (int d = 0; d < g.rank; ++d) g.shape[d] = x.shape[d], g.strides[d] = x.strides[d];
  }
  const Reports::Slot slot =
      call.reports.open([requirement](int64_t) { return unmet(requirement); });
  call.report = slot.number;
  g.report = slot.report;
  run(call, "require", "require_" + std::to_string(size_of(call.step.inputs[0].type)), g,
      blocks_for(g.count), kElementThreads);
  return true;
}

}  // namespace tide::cuda
