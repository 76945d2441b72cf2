// The floating type of what nothing says the type of.
#pragma once

#include "runtime/core/dtype.h"

namespace tide {

/// The floating type of new tensors when nothing says another, and of results where integers meet
/// floats of the script or become floating: f32 at first. One for all threads.
DType default_dtype();
/// Sets it; `type` must be floating.
void set_default_dtype(DType type);

/// `type` if it is floating, else the default.
inline DType floating_type(DType type) { return is_floating(type) ? type : default_dtype(); }

}  // namespace tide
