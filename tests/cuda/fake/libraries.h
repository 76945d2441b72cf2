// What the tests' driver offers to their other libraries, whose kernels it does not interpret.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/cuda/driver/driver_api.h"
#include "runtime/cuda/libraries/cupti_api.h"

#define TIDE_EXPORT extern "C" __attribute__((visibility("default")))

/// Runs a kernel of a library in the order of the stream, unless the device is lost by then.
TIDE_EXPORT tide::cuda::Result fake_launch(tide::cuda::Stream stream,
                                           const std::function<void()>& kernel);

/// A kernel of a library, in the order of the stream, loses the device.
TIDE_EXPORT void fake_lose_device(tide::cuda::Stream stream, tide::cuda::Result error);

namespace fake {

/// What a library that watches launches, copies and fills is given.
struct Watcher {
  uint32_t (*call)();  ///< a call of the driver by this thread: its number
  uint64_t (*now)();   ///< the time, when work begins and when it ends
  void (*done)(tide::cuda::cupti::Kind kind, uint32_t call, uint64_t begin, uint64_t end);
};

/// `work` for a stream, which is reported if somebody watches.
std::function<void()> watched(tide::cuda::cupti::Kind kind, std::function<void()> work);

}  // namespace fake

/// Who watches from now on; null: nobody.
TIDE_EXPORT void fake_watch(const fake::Watcher* watcher);
