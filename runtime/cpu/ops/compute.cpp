// Finds the routine of a compute op.
#include "runtime/cpu/ops/compute.h"

namespace tide {

ComputeFunction compute_function(ComputeOp op) {
  static constexpr ComputeFunction functions[] = {
#define TIDE_COMPUTE_OP(name, cuts_window) compute_##name,
#include "runtime/ir/compute_ops.def"
#undef TIDE_COMPUTE_OP
  };
  return functions[static_cast<int>(op)];
}

}  // namespace tide
