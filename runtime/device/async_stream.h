// The interface of backends that only enqueue: tickets, times, reports, losses.
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

/// What a stream knows about a plan whose steps are launched.
struct PlanInfo {
  uint64_t number = 0;  ///< constant over all runs of the plan, and unique to it
  /// Most consecutive steps that are generated loops or compute ops that do not cut a window: each
  /// of them may consist only of kernels.
  size_t kernels_in_a_row = 0;
};

/// A loop to be launched.
struct LoopCall {
  const LoopStep* step;
  void* const* bases;
  const uint64_t* parameters;
  size_t place;  ///< index among the caller's steps
};

/// A stream that runs asynchronously to its queue. All functions except graph_runs are called from
/// the queue's thread.
class AsyncStream {
 public:
  virtual ~AsyncStream() = default;
  /// The calling thread becomes the queue's thread.
  virtual void begin_queue() {}

  /// Launches from here to `end_plan` belong to one run of the plan.
  virtual void begin_plan(const PlanInfo&) {}
  /// Throws if deferred launches of the plan have failed: then none of its results is valid.
  virtual void end_plan() {}
  /// Number of plan runs launched as a graph. Callable from any thread.
  virtual int64_t graph_runs() const { return 0; }

  /// Moves calls that one launch can serve to the front, keeping their order; returns their number,
  /// at least one. All are of one kernel (LoopStep::kernel).
  virtual size_t gather(std::span<LoopCall> /*calls*/) { return 1; }
  /// Launches calls that `gather` has grouped as one. None of them reads or writes what another one
  /// writes. If it throws, nothing was launched.
  virtual void launch_together(std::span<const LoopCall> /*calls*/) {}

  /// Work enqueued so far belongs to tickets up to this one.
  virtual void note(uint64_t ticket) = 0;
  /// The last noted ticket whose work is done, or abandoned because the device is lost.
  virtual uint64_t done() = 0;
  /// Waits until a noted ticket is done.
  virtual void wait(uint64_t ticket) = 0;
  /// Work enqueued from now on starts after the ticket, already noted, of another stream of this
  /// device.
  virtual void follow(AsyncStream& other, uint64_t ticket) = 0;
  /// Calls `function`, from any thread, once all work enqueued so far is done.
  virtual void call_when_done(void (*function)(void*), void* data) = 0;

  /// Records the time at which all work enqueued so far is done, for the current ticket.
  virtual void take_time(uint64_t /*ticket*/) {}
  /// The recorded time, in seconds(), of a finished ticket; must be queried in order.
  virtual double time_taken(uint64_t /*ticket*/) { return seconds(); }

  /// The launch with the most threads since the last call, among the device's own kernels; null:
  /// none. Only during a profile; does not throw.
  virtual const profile::KernelLaunch* take_launch() { return nullptr; }

  /// How a loop's kernel, which is compiled if necessary, is launched for arrays at the beginning
  /// of blocks; none if there is no work or no such kernel. Callable from any thread.
  virtual std::optional<profile::KernelLaunch> launch_of(const LoopStep&) { return std::nullopt; }

  /// Times steps instead of `take_time` once started; shared by all streams of a kind of device;
  /// null: none. Callable from any thread.
  virtual StepClock* step_clock() { return nullptr; }
  /// Launches up to `end_step` belong to a step of the clock, which is running. May throw like a
  /// launch; then the step has not begun.
  virtual void begin_step(int64_t /*step*/) {}
  virtual void end_step() {}

  /// The error that a finished compute op reported, if any; returned once per report.
  virtual std::optional<std::string> take_report(uint64_t report) = 0;
  /// Why the device and its contents are lost for the rest of the process; none: it works.
  virtual std::optional<std::string> loss() { return std::nullopt; }
};

}  // namespace tide
