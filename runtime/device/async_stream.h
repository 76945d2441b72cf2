// What a backend can do beside Backend if it only enqueues: tickets, times, reports, losses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/device/clock.h"
#include "runtime/device/step_clock.h"
#include "runtime/profile/kernel_launch.h"

namespace tide {

struct LoopStep;

/// What a stream may know of a plan whose steps are launched.
struct PlanInfo {
  uint64_t number = 0;  ///< the same each time the plan runs, and of no other plan
  /// Most steps in a row that are generated loops or compute ops that do not cut a window: each of
  /// them may be nothing but kernels.
  size_t kernels_in_a_row = 0;
};

/// A loop, as it is launched.
struct LoopCall {
  const LoopStep* step;
  void* const* bases;
  const uint64_t* parameters;
  size_t place;  ///< among the caller's steps
};

/// A stream that works while its queue goes on. Everything is called from the queue's thread, but
/// for graph_runs.
class AsyncStream {
 public:
  virtual ~AsyncStream() = default;
  /// The calling thread is the queue's from now on.
  virtual void begin_queue() {}

  /// What is launched from here to `end_plan` belongs to one run of the plan.
  virtual void begin_plan(const PlanInfo&) {}
  /// Throws if launches of the plan that were put off have failed: then none of its results is
  /// good.
  virtual void end_plan() {}
  /// How often launches of a plan went to the device all at once, as a graph. From any thread.
  virtual int64_t graph_runs() const { return 0; }

  /// Brings calls that one launch can serve to the front, in their order; how many these are, one
  /// at least. All are of one kernel (LoopStep::kernel).
  virtual size_t gather(std::span<LoopCall> /*calls*/) { return 1; }
  /// Launches calls that `gather` has brought together as one. None of them reads or writes what
  /// another one writes. If it throws, nothing was launched.
  virtual void launch_together(std::span<const LoopCall> /*calls*/) {}

  /// What was enqueued so far belongs to tickets up to this one.
  virtual void note(uint64_t ticket) = 0;
  /// The last noted ticket whose work is done, or given up because the device is lost.
  virtual uint64_t done() = 0;
  /// Waits until a ticket is done that was noted.
  virtual void wait(uint64_t ticket) = 0;
  /// What is enqueued from now on starts after the ticket, noted by now, of another stream of this
  /// device.
  virtual void follow(AsyncStream& other, uint64_t ticket) = 0;
  /// Calls `function`, from any thread, once all that is enqueued by now is done.
  virtual void call_when_done(void (*function)(void*), void* data) = 0;

  /// Takes the time at which all that is enqueued by now is done; for the ticket under way.
  virtual void take_time(uint64_t /*ticket*/) {}
  /// That time, in seconds(); of a ticket that is done, the first one asked for first.
  virtual double time_taken(uint64_t /*ticket*/) { return seconds(); }

  /// Of the kernels launched since the last call the one with the most threads, as far as they are
  /// the device's own; null: there is none. While a profile is under way; throws nothing.
  virtual const profile::KernelLaunch* take_launch() { return nullptr; }

  /// How a loop's kernel, which is compiled if need be, is launched for arrays that begin where
  /// blocks do; nothing if there is no work or no such kernel. From any thread.
  virtual std::optional<profile::KernelLaunch> launch_of(const LoopStep&) { return std::nullopt; }

  /// What times steps in place of `take_time` if it starts, one for all streams of a kind of
  /// device; null: there is none. From any thread.
  virtual StepClock* step_clock() { return nullptr; }
  /// What is launched up to `end_step` belongs to a step of the clock, which runs. May throw as a
  /// launch does, and then the step has not begun.
  virtual void begin_step(int64_t /*step*/) {}
  virtual void end_step() {}

  /// What a compute op that is done has found wrong, if anything; once for each report.
  virtual std::optional<std::string> take_report(uint64_t report) = 0;
  /// Why all that lay on the device is lost, if that has happened since it was last set up.
  virtual std::optional<std::string> loss() { return std::nullopt; }
  /// Of the device's first stream, after a loss: sets the device up anew, without any memory, with
  /// all these streams of it. If that fails, all further calls throw and say so. No stream is used
  /// meanwhile.
  virtual void begin_again(const std::vector<AsyncStream*>& /*streams*/) {}
};

}  // namespace tide
