// Demands on values that are known only when the queue has run.
#pragma once

#include "runtime/ir/compute_failure.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// `value`, which is lost if an element of `condition` (integers or bool) is 0: whoever reads it,
/// or what is computed from it, gets the report of the requirement in the name of `op`. Waits for
/// nothing. A `condition` without elements demands nothing.
Tensor require(const char* op, Requirement requirement, const Tensor& condition,
               const Tensor& value);

}  // namespace tide
