// The compute ops of host devices.
#pragma once

#include "runtime/ir/compute_op.h"

namespace tide {

/// The routine that executes `op`. Thread-safe; a routine waits only for its own parts.
ComputeFunction compute_function(ComputeOp op);

// The routines by name, for routines that call others.
#define TIDE_COMPUTE_OP(name, cuts_window) void compute_##name(ComputeCall& call);
#include "runtime/ir/compute_ops.def"
#undef TIDE_COMPUTE_OP

}  // namespace tide
