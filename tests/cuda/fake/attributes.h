// What the fake driver says of its devices.
#pragma once

#include "runtime/cuda/driver/driver_api.h"

namespace fake {

/// Of a card, of this compute capability (90 is 9.0); 0 for what it does not have.
int attribute_of(tide::cuda::Attribute which, int card, int capability);

}  // namespace fake
