// A tool of a driver that times what devices do, and reports it afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace tide {

/// Times the steps of a profile by itself, so that nothing is enqueued between them. A stream says
/// which step its launches belong to: see AsyncStream::begin_step.
class StepClock {
 public:
  /// Nanoseconds on the clock of seconds().
  struct Times {
    int64_t begin = 0, end = 0;
  };
  virtual ~StepClock() = default;
  /// Whether it times what is launched from now on; false: the tool is not there, or refuses.
  virtual bool start() = 0;
  /// Ends that. Of each step from its first kernel or copy to the end of its last; a step that is
  /// not there has launched nothing, or is not done. Only after `start`.
  virtual std::unordered_map<int64_t, Times> stop() = 0;
  /// "CUPTI 13.0.1"; what takes its place and why, if it has refused. Empty: nobody has asked for
  /// it.
  virtual std::string description() const = 0;
};

}  // namespace tide
