// Busy waiting for what comes soon.
#pragma once

#include <chrono>

namespace tide {

/// Looks at the condition again and again for about `time`; whether it came true. Saves the sleep
/// and the waking, which take longer than most gaps between two pieces of work.
template <class Condition>
bool spin_until(std::chrono::microseconds time, const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < 64; ++i) {
      if (condition()) return true;
      __builtin_ia32_pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return condition();
}

}  // namespace tide
