// What a CUDA device is made of, as the driver reports it, and what follows from that.
#pragma once

#include <string>

#include "runtime/device/device_report.h"

namespace tide::cuda {

/// Of the device "cuda:ordinal", which the driver's report must list. Takes no memory on it.
/// Units per multiprocessor are those of the CUDA Programming Guide (arithmetic throughput), for
/// the cards that it lists.
DeviceProperties device_properties(int ordinal);

/// The whole story for `tide info`: what was found, what can be used, what is missing and what to
/// do.
std::string describe_driver();

}  // namespace tide::cuda
