// Puts the steps and copies of a stream into the profile under way.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "runtime/device/async_stream.h"
#include "runtime/device/backend.h"
#include "runtime/device/simulation.h"
#include "runtime/execute/submission.h"
#include "runtime/profile/recorder.h"

namespace tide {

/// What a profile says of a step: its op and line, what it moves and computes. Without its times.
profile::Event event_of(const StepCall& call);
/// The same of a copy that is a task.
profile::Event event_of(const Submission& copy);

/// Times what a stream does: by the host's clock if each call runs to its end, else by the driver's
/// tool, or by the stream's clock where there is none. Of a device that is like a card by the
/// modelled clock.
class StepProfile {
 public:
  StepProfile(Backend& backend, profile::StreamTrack track)
      : async_(backend.async_stream()), simulation_(backend.simulation()), track_(track) {}

  /// Runs `work`, which belongs to the ticket. Passes on what it throws.
  void time(uint64_t ticket, const profile::Event& event, const std::function<void()>& work);
  /// Adds what is not added yet of tickets up to `done`; on the queue's thread.
  void settle(uint64_t done);

 private:
  void time_on_host(profile::Event event, const std::function<void()>& work);
  void time_modelled(profile::Event event, const std::function<void()>& work);
  void time_by_tool(profile::Event event, const std::function<void()>& work);
  void time_on_stream(uint64_t ticket, const profile::Event& event,
                      const std::function<void()>& work);

  int64_t time_taken(uint64_t ticket);

  struct Open {
    uint64_t ticket;
    int64_t enqueued;  ///< when, on the host's clock
    profile::Event event;
  };
  AsyncStream* const async_;            ///< null: each call runs to its end
  const Simulation* const simulation_;  ///< null: the device is none
  const profile::StreamTrack track_;
  std::deque<Open> open_;  ///< in the order in which the stream takes their times
  int64_t shift_ = 0;      ///< nanoseconds from the stream's clock to the host's
};

}  // namespace tide
