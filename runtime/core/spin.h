// Busy waiting for what comes soon.
#pragma once

#include <sched.h>

#include <chrono>

namespace tide {

/// Looks at the condition again and again for about `time`; whether it came true. Saves the sleep
/// and the waking, which take longer than most gaps between two pieces of work. The core is offered
/// to others now and then: the thread that is waited for may be the one that needs it.
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
