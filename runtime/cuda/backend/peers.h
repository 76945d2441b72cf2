// Which devices copy from each other without the host.
#pragma once

#include "runtime/cuda/driver/driver.h"

namespace tide::cuda {

/// Lets the device, whose context is the calling thread's, and all others that are connected read
/// and write each other's memory, as far as the machine can: copies between them then go from one
/// to the other directly. The driver takes all other copies through the host. Does nothing if the
/// device is connected already. Thread-safe.
void connect_to_peers(DeviceOrdinal device, Context context);

/// Of a device whose context is about to go. Thread-safe.
void disconnect_from_peers(DeviceOrdinal device);

}  // namespace tide::cuda
