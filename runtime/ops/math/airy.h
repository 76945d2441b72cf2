// Airy's function.
#pragma once

#include "runtime/tensor/tensor.h"

namespace tide {

/// Ai(x), in a floating type. Not differentiable.
Tensor airy_ai(const Tensor& x);

}  // namespace tide
