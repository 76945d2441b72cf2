// Properties of CUDA devices, as the driver reports them.
#pragma once

#include <string>

#include "runtime/device/device_report.h"

namespace tide::cuda {

/// Properties of "cuda:ordinal", which driver_report() must list. Uses no memory of the device.
/// Units per multiprocessor are from the CUDA Programming Guide (arithmetic throughput), for the
/// devices that it lists.
DeviceProperties device_properties(int ordinal);

/// The text of `tide info`: what was found, what can be used, what is missing, and the fix.
std::string describe_driver();

}  // namespace tide::cuda
