// Busy waiting for short waits.
#pragma once

#include <sched.h>

#include <chrono>

namespace tide {

/// Polls the condition for about `time` and returns whether it became true. Saves sleeping and
/// waking, which take longer than most gaps between two pieces of work. Yields the core now and
/// then, because the awaited thread may need it.
template <class Condition>
bool spin_until(std::chrono::microseconds time, const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < 64; ++i) {
      if (condition()) return true;
      __builtin_ia32_pause();
    }
    sched_yield();
  } while (std::chrono::steady_clock::now() < end);
  return condition();
}

}  // namespace tide
