// The interface of a kind of device: memory, and streams of launches and copies.
//
// Each queue (runtime/record/queue.h) has its own stream, which it calls from its thread, in order.
// A stream of the host runs each call to completion, so its last noted ticket is done; a driver's
// stream only enqueues.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/device/clock.h"
#include "runtime/device/launch_shortage.h"
#include "runtime/ir/compute_op.h"
#include "runtime/ir/loop.h"
#include "runtime/profile/kernel_launch.h"
#include "runtime/types/device.h"

namespace tide {

class Kernel;
class Simulation;

/// A fused loop without addresses and scalars: made once per plan.
struct LoopStep {
  LoopProgram program;
  Kernel* kernel = nullptr;
  std::vector<int64_t> extents;  ///< as LoopArguments
  std::vector<int64_t> strides;
};

/// A compute op without addresses.
struct ComputeStep {
  ComputeOp op{};
  std::vector<ArrayView> inputs;  ///< data is filled in at each run
  std::vector<ArrayView> outputs;
  std::vector<int64_t> attributes;
};

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

/// A compute op's report about invalid values (ir/compute_failure.h).
struct ComputeOutcome {
  std::optional<std::string> failure;  ///< the error message
  std::optional<uint64_t> report;      ///< if it is not known yet: see StreamBackend::take_report
};

/// `from_pinned`: to the device, from pinned host memory. `to_pinned`: the other way.
enum class CopyKind : uint8_t { to_device, from_pinned, to_host, to_pinned, within, between };

/// The time when a stream reached a point.
struct MarkTime {
  double seconds = 0;  ///< on the clock of seconds(), or on the modelled one
  bool is_modelled = false;
};

/// A stream of a device. Used by the thread of its queue, except `follow`'s argument. Destroyed
/// only when idle.
class StreamBackend {
 public:
  virtual ~StreamBackend() = default;

  /// Throws if it cannot launch; LaunchShortage if that may work with more memory.
  virtual void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) = 0;
  /// `finish`: a loop over the elements of the op's result, to be launched after it or on its parts
  /// as soon as they are complete; null, as always without Capabilities::finishing_loops: none.
  virtual ComputeOutcome launch(const ComputeStep& step, void* const* addresses,
                                const LoopCall* finish) = 0;
  /// Launches the first call, of a batch, and those of the others that the same launch can serve,
  /// which it moves to the front in their order; returns the number of launched ones. None reads or
  /// writes what another one writes; all are of one kernel. If it throws, nothing was launched.
  virtual size_t launch_together(std::span<LoopCall> calls) {
    launch(*calls[0].step, calls[0].bases, calls[0].parameters);
    return 1;
  }
  /// Launches from here on belong to one run of the plan; null: to none. Throws if deferred
  /// launches of the plan before have failed: then none of its results is valid.
  virtual void run_plan(const PlanInfo* /*plan*/) {}
  /// `source` may be modified once this returns if it is pageable host memory: pinned memory is
  /// read until enqueued work is done. Pageable host memory at `destination` contains the bytes
  /// when this returns.
  virtual void copy(void* destination, const void* source, size_t bytes, CopyKind kind) = 0;

  /// Work enqueued so far belongs to tickets up to this one.
  virtual void note(uint64_t ticket) = 0;
  /// The last noted ticket whose work is done. Throws an Error if the device is lost.
  virtual uint64_t done() = 0;
  /// Waits until a noted ticket is done; `kAll`: all work enqueued so far.
  virtual void wait(uint64_t ticket) = 0;
  static constexpr uint64_t kAll = ~uint64_t{0};
  void finish() { wait(kAll); }
  /// Work enqueued from now on starts after the ticket, already noted, of another stream of this
  /// device.
  virtual void follow(StreamBackend& other, uint64_t ticket) = 0;
  /// Calls `function`, from any thread, once all work enqueued so far is done.
  virtual void call_when_done(void (*function)(void*), void* data) = 0;
  /// The error that a finished compute op reported, if any; returned once per report.
  virtual std::optional<std::string> take_report(uint64_t /*report*/) { return std::nullopt; }
  /// Frees the cached workspace. Waits for enqueued work.
  virtual void release_workspace() {}

  /// Records the time at which all work enqueued so far is done, for the current ticket.
  virtual void take_time(uint64_t ticket) = 0;
  /// The recorded time of a finished ticket; must be queried in order.
  virtual MarkTime time_taken(uint64_t ticket) = 0;
  /// Launches from now on belong to this step of the StepClock of this kind of device, which is
  /// running; none: to no step. May throw like a launch; then the step has not begun.
  virtual void enter_step(std::optional<int64_t> /*step*/) {}
  /// The launch with the most threads since the last call, among the device's own kernels; null:
  /// none. Only during a profile; does not throw.
  virtual const profile::KernelLaunch* take_launch() { return nullptr; }

  /// The host's threads that compute, which may launch and copy, too, for independent steps; null:
  /// only the queue's.
  Parallel* threads = nullptr;
  std::shared_ptr<Simulation> simulation;  ///< null: not a simulated device
  std::atomic<int64_t> graph_runs{0};      ///< plan runs launched as a graph
};

/// The limit on memory allocated from a device.
struct MemoryLimit {
  size_t bytes = 0;       ///< 0: no limit
  const char* name = "";  ///< the variable or function that sets it; empty: the device's capacity
};

/// A device. Thread-safe.
class DeviceBackend {
 public:
  enum class Memory : uint8_t { device, pinned_host };
  struct MemoryUse {
    size_t available = 0, total = 0;  ///< bytes; 0, 0: the device does not report it
  };

  virtual ~DeviceBackend() = default;
  /// Memory of the device, aligned to 64 bytes (2 MiB for large blocks); or host memory pinned for
  /// transfers to it, pageable if pinning is not supported. Null if none is left.
  virtual void* allocate(size_t bytes, Memory memory = Memory::device) = 0;
  virtual void release(void* data, size_t bytes, Memory memory = Memory::device) = 0;
  /// The device's memory, including use by other processes.
  virtual MemoryUse memory() { return {}; }
  virtual std::unique_ptr<StreamBackend> make_stream() = 0;

  MemoryLimit memory_limit;                ///< on allocated bytes; a simulated device has its own
  std::shared_ptr<Simulation> simulation;  ///< null: not a simulated device
};

}  // namespace tide
