// Attributes of the fake driver's devices.
#pragma once

#include "runtime/cuda/driver/driver_api.h"

namespace fake {

/// The attribute of a device of this compute capability (90 is 9.0); 0 if it does not have it.
int attribute_of(tide::cuda::Attribute which, int card, int capability);

}  // namespace fake
