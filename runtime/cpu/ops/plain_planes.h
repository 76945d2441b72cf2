// Calls on planes that lie channels last, as calls on planes that do not.
#pragma once

#include "runtime/ir/compute_op.h"

namespace tide {

/// Whether the arrays of planes of a call lie (n, h, w, c): its last attribute.
bool is_channels_last(const ComputeCall& call);

/// Carries out such a call by `function`, on copies of its arrays. Only what is left to the host
/// for a GPU comes so.
void on_plain_planes(ComputeCall& call, ComputeFunction function);

}  // namespace tide
