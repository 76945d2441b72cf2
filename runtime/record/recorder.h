// The windows of a thread, and how what is recorded in them runs.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/record/engine.h"
#include "runtime/record/window.h"

namespace tide {

/// The windows of a thread.
class Recorder {
 public:
  static Recorder& of_thread();
  /// On the first thread this comes before all static objects go, those of plugins included: the
  /// queues, which use them, are brought to rest.
  ~Recorder();
  Window& window(DeviceState& device) {
    const auto number = static_cast<size_t>(device.number);
    return number < windows_.size() && windows_[number] ? *windows_[number] : add_window(device);
  }
  /// The stream that work for the device goes to.
  Stream& stream(DeviceState& device) { return window(device).stream(); }
  void flush(const FlushCause& cause);
  /// Puts the windows aside and records into others, until these are dropped: see engine.h.
  void begin_trial();
  void end_trial();
  /// Ops in windows.
  int64_t pending_ops() const;
  /// Ops of these windows that `counters` does not have yet.
  int64_t recorded_ops() const;

  bool eager;
  engine::StreamChoice streams;
  bool all_or_nothing =
      false;               ///< windows flushed now run whole or not at all, and are not cut by size
  bool cancelled = false;  ///< windows flushed now do not run
  bool must_run = false;   ///< windows flushed now run in any case, at the second try if need be

 private:
  Recorder();
  Window& add_window(DeviceState& device);

  std::vector<std::unique_ptr<Window>> windows_;
  std::vector<std::unique_ptr<Window>> aside_;  ///< of a trial: the windows from before
  bool in_trial_ = false;
};

/// Counters of the process; windows add to them when they are flushed.
struct Counters {
  std::atomic<int64_t> recorded{0}, windows{0}, plans{0};
};
inline Counters counters;

}  // namespace tide
