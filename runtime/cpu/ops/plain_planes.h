// Runs calls on channels-last planes as calls on plain ones.
#pragma once

#include "runtime/ir/compute_op.h"

namespace tide {

/// Whether the planes of a call are stored as (n, h, w, c): its last attribute.
bool is_channels_last(const ComputeCall& call);

/// Runs a channels-last call with `function`, on copies of its arrays. Only calls that a GPU leaves
/// to the host need it.
void on_plain_planes(ComputeCall& call, ComputeFunction function);

}  // namespace tide
