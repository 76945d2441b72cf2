// In-place writes, with gradients.
#pragma once

#include "runtime/tensor/tensor.h"

namespace tide {

/// Puts `value` in the place of x's elements, with a grad function: x (and its base and views) then
/// depends on the value. Throws Error if x is, or shares its storage with, a leaf that requires a
/// gradient, outside no_grad.
void write(const char* name, const Tensor& x, const TensorOrNumber& value);

}  // namespace tide
