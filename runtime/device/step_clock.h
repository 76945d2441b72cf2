// A driver's tool that times the work of devices, and reports it afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace tide {

/// Times the steps of a profile by itself, so that nothing is enqueued between them. A stream
/// reports the step that its launches belong to: see StreamBackend::enter_step.
struct StepClock {
  /// Nanoseconds on the clock of seconds().
  struct Times {
    int64_t begin = 0, end = 0;
  };
  /// Whether it times launches from now on; false: the tool is missing, or refuses.
  bool (*start)();
  /// Ends timing. Times of each step are from its first kernel or copy to the end of its last; a
  /// missing step has launched nothing, or is not done. Only after `start`.
  std::unordered_map<int64_t, Times> (*stop)();
  /// "CUPTI 13.0.1"; if it has refused, the replacement and the reason. Empty: never started.
  std::string (*description)();
};

}  // namespace tide
