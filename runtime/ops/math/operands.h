// Operands of functions that are composed of elementwise ops.
#pragma once

#include <limits>

#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/tensor/tensor.h"
#include "runtime/types/dtype.h"

namespace tide {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// x, converted to the default floating type if it holds integers.
inline Tensor floating(const Tensor& x) { return convert(x, floating_type(x.dtype())); }

/// x in the computation type: half types would round at each step.
inline Tensor computed(const Tensor& x) { return convert(x, compute_type(x.dtype())); }

}  // namespace tide
