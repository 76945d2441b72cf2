// The fake driver's interface to the other fake libraries, whose kernels it does not interpret.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/cuda/driver/driver_api.h"
#include "runtime/cuda/libraries/cupti_api.h"

#define TIDE_EXPORT extern "C" __attribute__((visibility("default")))

/// Runs a kernel of a library in the order of the stream, unless the device is lost by then.
TIDE_EXPORT tide::cuda::Result fake_launch(tide::cuda::CudaStream stream,
                                           const std::function<void()>& kernel);

/// Enqueues a library's kernel that loses the device.
TIDE_EXPORT void fake_lose_device(tide::cuda::CudaStream stream, tide::cuda::Result error);

namespace fake {

/// Callbacks for a library that observes launches, copies and fills.
struct Watcher {
  uint32_t (*call)();  ///< returns the number of this thread's call of the driver
  uint64_t (*now)();   ///< returns the time at the begin and end of work
  void (*done)(tide::cuda::cupti::Kind kind, uint32_t call, uint64_t begin, uint64_t end);
};

/// Wraps `work` for a stream, so that it is reported to an observer.
std::function<void()> watched(tide::cuda::cupti::Kind kind, std::function<void()> work);

}  // namespace fake

/// Sets the observer; may be null.
TIDE_EXPORT void fake_watch(const fake::Watcher* watcher);
