// The compute ops of host devices.
#pragma once

#include "runtime/ir/compute_op.h"

namespace tide {

struct ComputeStep;

/// The routine that executes `op`. Thread-safe; a routine waits only for its own parts.
ComputeFunction compute_function(ComputeOp op);

/// The work of a product that one thread finishes so soon that splitting it gains little, in units
/// of eight multiplications; 0 for anything else.
int64_t small_product_work(const ComputeStep& step);

// The routines by name, for routines that call others.
#define TIDE_COMPUTE_OP(name, cuts_window) void compute_##name(ComputeCall& call);
#include "runtime/ir/compute_ops.def"
#undef TIDE_COMPUTE_OP

}  // namespace tide
