// Records events while a profile is running. Otherwise it costs a branch.
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

/// Whether a profile is running. Callable from any thread.
inline bool is_on() { return detail::on.load(std::memory_order_relaxed); }

/// Nanoseconds on a monotonic clock, the one of seconds().
inline int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// When the current or last profile began, on the clock of now().
inline int64_t begin_of_profile() { return detail::begin.load(std::memory_order_relaxed); }

/// Adds an event to the running profile, if there is one. Fills in the thread's track (StreamScope,
/// or the thread itself). Takes a lock only once in some hundred events.
void add(Event event);

/// A number for the ops that an event belongs to: equal for equal ops of one profile. 0 if no
/// profile is running, or memory is short.
uint32_t source_of(std::span<const SourceOp> ops);

/// A copy of the text that lives as long as the process.
const char* keep_text(std::string_view text);

/// Records an event for its lifetime, if a profile is running at construction.
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
  /// Whether it records: only then does the event exist, and may be modified.
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

/// For its lifetime, events added by this thread belong to a stream.
class StreamScope {
 public:
  explicit StreamScope(StreamTrack track);
  StreamScope(const StreamScope&) = delete;
  ~StreamScope();

 private:
  const StreamTrack previous_;
};

/// Nanoseconds that this thread has compiled while profiles were running: enclosing events subtract
/// it.
int64_t time_compiled();

/// Part of the events of one thread, in the order in which they were added.
struct Block {
  static constexpr uint32_t kEvents = 256;
  std::atomic<uint32_t> count{0};
  uint32_t thread = 0;  ///< numbered from 0, by the time of the first event
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
  int64_t dropped = 0;                         ///< events beyond the limit

  /// The ops of an event; none if they are not known.
  std::span<const SourceOp> ops_of(const Event& event) const;
  uint8_t number = 0;  ///< contained in its source numbers
};

/// Corrects the events of a profile that has ended.
using Correction = std::function<void(const std::vector<std::span<Event>>& blocks)>;
/// Registers a correction that runs when the current profile ends; false if there is none. The
/// correction must not record events.
bool correct_at_end(Correction correction);

/// Starts a profile of at most this many events; false if one is already running. May throw
/// std::bad_alloc.
bool start(size_t most_events);
/// Ends it; null if none was running. Events that other threads are just adding may be missing.
std::shared_ptr<const Trace> stop();

}  // namespace tide::profile
