// Helpers shared by the definitions of special functions.
#pragma once

#include <limits>

#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/tensor/tensor.h"
#include "runtime/types/dtype.h"

namespace tide {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// x, converted to the default floating type if it holds integers.
inline Tensor floating(const Tensor& x) { return convert(x, floating_type(x.dtype())); }

}  // namespace tide
