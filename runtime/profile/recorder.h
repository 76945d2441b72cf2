// Records events while a profile is under way. While none is, all of it costs a branch.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/profile/event.h"

namespace tide::profile {

namespace detail {
inline std::atomic<bool> on{false};
inline std::atomic<int64_t> begin{0};
}  // namespace detail

/// Whether a profile is under way. From any thread.
inline bool is_on() { return detail::on.load(std::memory_order_relaxed); }

/// Nanoseconds on a monotonic clock, that of seconds().
inline int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// When the profile under way began, or the last one did, on the clock of now().
inline int64_t begin_of_profile() { return detail::begin.load(std::memory_order_relaxed); }

/// Adds an event to the profile under way, if there is one. The thread's place (StreamScope, or the
/// thread itself) is filled in. Takes no lock but once in some hundred events.
void add(Event event);

/// A number for the ops that an event serves: the same for the same ops of one profile. 0 if none
/// is under way, or memory is short.
uint32_t source_of(std::span<const SourceOp> ops);

/// A text that lives as long as the process.
const char* keep_text(std::string_view text);

/// Records from where it is made to where it ends, if a profile is under way by then.
class Span {
 public:
  Span(EventKind kind, const char* name) : is_on_(is_on()) {
    if (is_on_) [[unlikely]]
      begin(kind, name);
  }
  Span(const Span&) = delete;
  ~Span() {
    if (is_on_) [[unlikely]]
      end();
  }
  /// Whether it records: only then is there an event, which may be filled in.
  explicit operator bool() const { return is_on_; }
  Event& event() { return event_; }

 private:
  void begin(EventKind kind, const char* name);
  void end();

  const bool is_on_;
  union {
    Event event_;
  };
};

/// A stream, as events name it.
struct StreamTrack {
  Device device{};
  uint8_t stream = 0;
};

/// As long as it lives, what this thread adds belongs to a stream.
class StreamScope {
 public:
  explicit StreamScope(StreamTrack track);
  StreamScope(const StreamScope&) = delete;
  ~StreamScope();

 private:
  const StreamTrack previous_;
};

/// Nanoseconds that this thread has compiled while profiles were under way: what encloses that
/// takes it off.
int64_t time_compiled();

/// Part of the events of one thread, in the order in which they were added.
struct Block {
  static constexpr uint32_t kEvents = 256;
  std::atomic<uint32_t> count{0};
  uint32_t thread = 0;  ///< threads count from 0, in the order in which they first added something
  Event events[kEvents];
};

/// What was recorded.
struct Trace {
  struct Part {
    std::shared_ptr<const Block> block;
    uint32_t count;
  };
  int64_t begin = 0, end = 0;
  std::vector<Part> parts;
  std::vector<std::vector<SourceOp>> sources;  ///< by source_index
  int64_t dropped = 0;                         ///< events for which there was no room

  /// The ops of an event; none if they are not known.
  std::span<const SourceOp> ops_of(const Event& event) const;
  uint8_t number = 0;  ///< which the numbers of its sources carry
};

/// What puts right the events of a profile that has ended.
using Correction = std::function<void(const std::vector<std::span<Event>>& blocks)>;
/// Has the profile under way corrected when it ends; false if there is none. The correction may
/// record nothing.
bool correct_at_end(Correction correction);

/// Begins to record at most so many events; false if a profile is under way already. May throw
/// std::bad_alloc.
bool start(size_t most_events);
/// Ends that; null if none was under way. What other threads are just about to add may be missing.
std::shared_ptr<const Trace> stop();

}  // namespace tide::profile
