// The compute ops of host devices.
#pragma once

#include "runtime/ir/compute_op.h"

namespace tide {

struct ComputeStep;

/// The routine that carries out `op`. Thread-safe; a routine never waits for anything but its own
/// parts.
ComputeFunction compute_function(ComputeOp op);

/// The work of a product that one thread does in so short a time that sharing it out gains little,
/// in multiplications of eight numbers; 0 for all else.
int64_t small_product_work(const ComputeStep& step);

// The routines by name, for those who call one as a part of another.
#define TIDE_COMPUTE_OP(name, cuts_window) void compute_##name(ComputeCall& call);
#include "runtime/ir/compute_ops.def"
#undef TIDE_COMPUTE_OP

}  // namespace tide
