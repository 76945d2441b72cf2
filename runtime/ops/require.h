// Requirements on values that are known only after the queue has run.
#pragma once

#include "runtime/ir/compute_failure.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Returns `value`, which becomes invalid if an element of `condition` (integers or bool) is 0:
/// reading it, or anything computed from it, reports the requirement in the name of `op`. Never
/// waits. An empty `condition` always holds.
Tensor require(const char* op, Requirement requirement, const Tensor& condition,
               const Tensor& value);

/// Returns `positions`, of i64, which become invalid likewise if one of them is not from 1 to
/// `limit`. `of`, if defined and not empty: what they are positions of; the check does not run if
/// that is lost.
Tensor require_positions(const char* op, const Tensor& positions, int64_t limit,
                         const Tensor& of = {});

}  // namespace tide
