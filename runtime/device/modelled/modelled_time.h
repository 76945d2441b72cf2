// Modelled time: that of devices which are like a card, moved by their work and by nothing else.
//
// A stream of such a device is somewhere on this clock. What it launches starts when the work
// before it has ended, when the script has submitted it, and when what it waits for has ended,
// whichever is latest; it ends after the time that the card takes (roofline.h). No clock of this
// machine is read: the same script has the same times on any machine.
//
// The script takes no time here, and nor does what other devices do. Waiting takes time: a script
// that has seen work done is where that work has ended, and submits from there. All threads of a
// process are one script, so that what one of them hands to another is never too early.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

namespace tide {

namespace modelled {

/// How many devices of this process are like a card.
inline std::atomic<int> devices{0};
inline bool is_on() { return devices.load(std::memory_order_relaxed) != 0; }

/// Where the script is, in seconds.
double script_time();
/// It has seen something done that ended then.
void script_has_seen(double end);

/// A modelled time as nanoseconds on the clock of the profile under way, which begins where the
/// script was then.
int64_t on_profile_clock(double time);

}  // namespace modelled

/// Where a stream is on the modelled clock. Every queue has one, so that what waits for a device by
/// way of another one waits here as well. For the queue's thread, but for end_of.
class StreamTime {
 public:
  /// That of the queue that this thread runs; null on others.
  static StreamTime* of_thread() { return of_thread_; }
  void belongs_to_thread() { of_thread_ = this; }

  double now() const { return now_; }
  /// When what it was given last has started.
  double started() const { return started_; }
  /// What comes next starts no earlier.
  void wait_until(double time) {
    if (time > now_) now_ = time;
  }
  /// Work that starts at `begin`, now or later, and takes so long.
  void work(double begin, double seconds) {
    started_ = begin;
    now_ = begin + seconds;
  }
  /// The work of this ticket has ended now. While a device is modelled, for each ticket in turn.
  void note(uint64_t ticket);
  /// When that of a ticket has ended, which is done; 0 if nothing was modelled then. Of the last
  /// kKept tickets: for an older one the oldest of these counts. From any thread.
  double end_of(uint64_t ticket) const;

 private:
  static constexpr size_t kKept = 4096;
  static inline thread_local StreamTime* of_thread_ = nullptr;
  double now_ = 0, started_ = 0;
  mutable std::mutex mutex_;  ///< guards what is noted
  std::deque<double> ends_;   ///< of the tickets up to last_
  uint64_t first_ = 0;        ///< that was noted without a gap up to last_
  uint64_t last_ = 0;
};

/// What a part of a device is busy with, on the modelled clock. Guarded by its user.
class Timetable {
 public:
  /// Takes the first gap of this length that begins at `ready` or later; its begin.
  double take(double ready, double length);

 private:
  struct Span {
    double begin, end;
  };
  static constexpr size_t kMostSpans = 16384;
  std::deque<Span> busy_;  ///< in order, without contact
  double begin_ = 0;       ///< no gap before this is handed out
};

}  // namespace tide
