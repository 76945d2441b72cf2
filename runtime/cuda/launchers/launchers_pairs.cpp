// Binary functions whose number of iterations depends on the values.
#include <string>

#include "runtime/cuda/launchers/launchers.h"
#include "runtime/ir/pair_function.h"

namespace tide::cuda {
namespace {

const char* name_of(PairFunction function) {
  switch (function) {
    case PairFunction::gcd:
      return "gcd_";
    case PairFunction::lcm:
      return "lcm_";
    case PairFunction::igamma:
      return "igamma_";
    case PairFunction::igammac:
      return "igammac_";
    case PairFunction::nextafter:
      return "nextafter_";
  }
  return "";
}

}  // namespace

bool launch_pairs(ComputeLaunch& call) {
  const Layout &a = call.input_layout(0), &b = call.input_layout(1);
  PairArguments g{};
  g.a = call.input(0);
  g.b = call.input(1);
  g.out = call.output(0);
  g.count = a.shape.numel();
  g.rank = a.rank();
  for (int d = 0; d < g.rank; ++d) {
    g.shape[d] = a.shape[d];
    g.a_strides[d] = a.strides[d];
    g.b_strides[d] = b.strides[d];
  }
  const PairFunction function = unpack<PairAttributes>(call.step.attributes).function;
  run(call, "pairs", std::string(name_of(function)) + suffix_of(call.step.outputs[0].type), g,
      blocks_for(g.count), kElementThreads);
  return true;
}

}  // namespace tide::cuda
