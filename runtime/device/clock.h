// The clock used for all times.
#pragma once

#include <chrono>

namespace tide {

/// Seconds on a monotonic clock.
inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace tide
