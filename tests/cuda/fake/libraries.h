// What the tests' driver offers to their other libraries, whose kernels it does not interpret.
#pragma once

#include <functional>

#include "runtime/cuda/driver/driver_api.h"

#define TIDE_EXPORT extern "C" __attribute__((visibility("default")))

/// Runs a kernel of a library in the order of the stream, unless the device is lost by then.
TIDE_EXPORT tide::cuda::Result fake_launch(tide::cuda::Stream stream,
                                           const std::function<void()>& kernel);

/// A kernel of a library, in the order of the stream, loses the device.
TIDE_EXPORT void fake_lose_device(tide::cuda::Stream stream, tide::cuda::Result error);
