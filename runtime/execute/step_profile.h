// Adds the steps and copies of a stream to the current profile.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "runtime/device/backend.h"
#include "runtime/execute/submission.h"
#include "runtime/profile/recorder.h"

namespace tide {

/// The event of a step without its times: op, line, memory traffic and arithmetic.
profile::Event event_of(const StepCall& call);
/// The event of a copy that is a task.
profile::Event event_of(const Submission& copy);

/// Times the work of a stream: by the host's clock if the host computes it, else by the driver's
/// tool, or the stream's clock if there is none. For a device that models a GPU, by the modelled
/// clock.
class StepProfile {
 public:
  StepProfile(StreamBackend& stream, profile::StreamTrack track) : stream_(stream), track_(track) {}

  /// Work that is timed; it may add to its event, unless that is null.
  using Work = std::function<void(profile::Event* event)>;
  /// Runs `work`, which belongs to the ticket. Propagates exceptions.
  void time(uint64_t ticket, const profile::Event& event, const Work& work);
  /// Adds remaining events of tickets up to `done`; on the queue's thread.
  void settle(uint64_t done);

 private:
  void time_on_host(profile::Event event, const Work& work);
  void time_modelled(profile::Event event, const Work& work);
  void time_by_tool(profile::Event event, const Work& work);
  void time_on_stream(uint64_t ticket, const profile::Event& event, const Work& work);

  int64_t time_taken(uint64_t ticket);

  struct Open {
    uint64_t ticket;
    int64_t enqueued;  ///< on the host's clock
    profile::Event event;
  };
  StreamBackend& stream_;
  const profile::StreamTrack track_;
  std::deque<Open> open_;  ///< in the order in which the stream reports their times
  int64_t shift_ = 0;      ///< nanoseconds from the stream's clock to the host's
};

}  // namespace tide
