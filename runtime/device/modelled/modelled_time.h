// Modelled time: the time of devices that model a GPU, advanced only by their work.
//
// Each stream of such a device has a position on this clock. Its work starts when the work before
// it has ended, when the script has submitted it, and when its dependencies have ended, whichever
// is latest; it ends after the time that the GPU takes (roofline.h). No clock of this machine is
// read: the same script has the same times on any machine.
//
// The script takes no time here, and neither do other devices. Waiting takes time: a script that
// has seen work done is at the end time of that work, and submits from there. All threads of a
// process count as one script, so that work passed between threads is never too early.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

namespace tide {

namespace modelled {

/// Number of devices of this process that model a GPU.
inline std::atomic<int> devices{0};
inline bool is_on() { return devices.load(std::memory_order_relaxed) != 0; }

/// The script's position, in seconds.
double script_time();
/// The script has seen work done that ended at this time.
void script_has_seen(double end);

/// A modelled time as nanoseconds on the clock of the current profile, which starts at the script's
/// position at that moment.
int64_t on_profile_clock(double time);

}  // namespace modelled

/// A stream's position on the modelled clock. Every queue has one, so that indirect waits through
/// other devices count as well. For the queue's thread, except end_of.
class StreamTime {
 public:
  /// The StreamTime of the queue that this thread runs; null on other threads.
  static StreamTime* of_thread() { return of_thread_; }
  void belongs_to_thread() { of_thread_ = this; }

  double now() const { return now_; }
  /// The start of the most recent work.
  double started() const { return started_; }
  /// Later work starts no earlier.
  void wait_until(double time) {
    if (time > now_) now_ = time;
  }
  /// Work that starts at `begin`, now or later, and takes `seconds`.
  void work(double begin, double seconds) {
    started_ = begin;
    now_ = begin + seconds;
  }
  /// The work of this ticket has ended now. Called for each ticket in order while modelled.
  void note(uint64_t ticket);
  /// The end of a finished ticket; 0 if nothing was modelled then. For tickets older than the last
  /// kKept, the oldest of these. Callable from any thread.
  double end_of(uint64_t ticket) const;

 private:
  static constexpr size_t kKept = 4096;
  static inline thread_local StreamTime* of_thread_ = nullptr;
  double now_ = 0, started_ = 0;
  mutable std::mutex mutex_;  ///< guards the fields below
  std::deque<double> ends_;   ///< of the tickets up to last_
  uint64_t first_ = 0;        ///< of consecutive tickets up to last_
  uint64_t last_ = 0;
};

/// When a part of a device is busy, on the modelled clock. Guarded by its user.
class Timetable {
 public:
  /// Reserves the first gap of this length from `ready` on; returns its start.
  double take(double ready, double length);

 private:
  struct Span {
    double begin, end;
  };
  static constexpr size_t kMostSpans = 16384;
  std::deque<Span> busy_;  ///< in order, not adjacent
  double begin_ = 0;       ///< earlier gaps are not used
};

}  // namespace tide
