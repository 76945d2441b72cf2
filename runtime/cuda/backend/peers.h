// Enables direct copies between devices.
#pragma once

#include "runtime/cuda/driver/driver.h"

namespace tide::cuda {

/// Enables peer access between the device, whose context must be current, and all connected
/// devices, where the machine supports it: copies between them are then direct. The driver stages
/// all other copies through the host. Does nothing if the device is already connected. Thread-safe.
void connect_to_peers(DeviceOrdinal device, Context context);

}  // namespace tide::cuda
