// What a piece of code costs the engine: counted, never timed.
#pragma once

#include <functional>

#include "runtime/record/engine.h"

namespace tide::test {

/// Windows flushed, plans made, steps launched, blocks of memory asked for, and bytes held at
/// most and in the end beyond those before.
struct Work {
  int64_t windows, plans, launches, blocks;
  int64_t peak, held;
};

/// Runs `code` on a quiet engine and waits for what it queued.
inline Work work_of(const std::function<void()>& code, Device device = {}) {
  engine::synchronize();
  engine::reset_peak(device);
  const auto before = engine::statistics();
  const auto memory = engine::memory(device);
  code();
  engine::synchronize();
  const auto after = engine::statistics();
  const auto now = engine::memory(device);
  const auto bytes = [&](size_t end) {
    return static_cast<int64_t>(end) - static_cast<int64_t>(memory.in_use);
  };
  return {after.windows - before.windows,
          after.plans - before.plans,
          after.launches - before.launches,
          now.allocations - memory.allocations,
          bytes(now.peak),
          bytes(now.in_use)};
}

}  // namespace tide::test
