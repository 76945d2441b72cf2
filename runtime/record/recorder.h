// The windows of a thread, and how their ops run.
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
  /// On the first thread this runs before all static objects are destroyed, including those of
  /// plugins: it stops the queues, which use them.
  ~Recorder();
  Window& window(DeviceState& device) {
    const auto number = static_cast<size_t>(device.number);
    return number < windows_.size() && windows_[number] ? *windows_[number] : add_window(device);
  }
  /// The stream for the device's work.
  Stream& stream(DeviceState& device) { return window(device).stream(); }
  void flush(const FlushCause& cause);
  /// Sets the windows aside and records into new ones, until those are dropped: see engine.h.
  void begin_trial();
  void end_trial();
  /// Ops in windows.
  int64_t pending_ops() const;
  /// Ops of these windows that are not yet in `counters`.
  int64_t recorded_ops() const;

  bool eager;
  engine::StreamChoice streams;
  bool all_or_nothing = false;  ///< windows run entirely or not at all, and are not cut by size
  bool cancelled = false;       ///< windows flushed now do not run
  bool must_run = false;        ///< windows flushed now run in any case, retried if necessary

 private:
  Recorder();
  Window& add_window(DeviceState& device);

  std::vector<std::unique_ptr<Window>> windows_;
  std::vector<std::unique_ptr<Window>> aside_;  ///< during a trial: the previous windows
  bool in_trial_ = false;
};

/// Counters of the process; windows add to them when they are flushed.
struct Counters {
  std::atomic<int64_t> recorded{0}, windows{0}, plans{0};
};
inline Counters counters;

}  // namespace tide
