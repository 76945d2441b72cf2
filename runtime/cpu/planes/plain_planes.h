// Runs calls on channels-last planes as calls on plain ones.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/ir/compute_op.h"

namespace tide {

/// Whether the planes of a call are stored as (n, h, w, c): its last attribute.
bool is_channels_last(const ComputeCall& call);

/// Runs a channels-last call with `function` and these attributes, on copies of its arrays of rank
/// 4, except that number `plain` (inputs, then outputs), which is row-major already.
void on_plain_planes(ComputeCall& call, ComputeFunction function,
                     std::span<const int64_t> attributes, size_t plain);

}  // namespace tide
