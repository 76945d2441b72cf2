// What a tool that watches the tests' driver is told of launches, copies and fills.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/cuda/libraries/cupti_api.h"

namespace fake {

struct Watcher {
  uint32_t (*call)();  ///< a call of the driver by this thread: its number
  uint64_t (*now)();   ///< the time, when work begins and when it ends
  void (*done)(tide::cuda::cupti::Kind kind, uint32_t call, uint64_t begin, uint64_t end);
};

/// `work` for a stream; it is reported if somebody watches.
std::function<void()> watched(tide::cuda::cupti::Kind kind, std::function<void()> work);

}  // namespace fake

/// Has the driver watched from now on; null: by nobody.
extern "C" __attribute__((visibility("default"))) void fake_watch(const fake::Watcher* watcher);
