// What a kind of device must be able to do: allocate, copy, launch, wait.
//
// Each queue (queue.h) has a backend to itself and calls launch and copy from its own thread, in
// order. Host backends run each call to its end; a driver's backend enqueues it on the stream, and
// `finish` waits for what was enqueued.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "runtime/core/device.h"
#include "runtime/ir/compute_op.h"
#include "runtime/ir/loop.h"
#include "runtime/record/engine.h"

namespace tide {

class Kernel;
struct Plan;
struct Step;

/// A fused loop with everything but addresses and numbers: made once per plan.
struct LoopStep {
  LoopProgram program;
  Kernel* kernel = nullptr;
  std::vector<int64_t> extents;  ///< as LoopArguments
  std::vector<int64_t> strides;
};

/// A compute op with everything but addresses.
struct ComputeStep {
  ComputeOp op{};
  std::vector<ArrayView> inputs;  ///< data is filled in at each run
  std::vector<ArrayView> outputs;
  std::vector<int64_t> attributes;
};

/// What a compute op says of the numbers that it was given (ir/compute_failure.h).
struct ComputeOutcome {
  std::optional<std::string> failure;  ///< what is wrong with them
  std::optional<uint64_t> report;      ///< that is not known yet: see Backend::take_report
};

/// `from_pinned`: to the device, from pinned host memory.
enum class CopyKind : uint8_t { to_device, from_pinned, to_host, within, between };

/// One stream of a device. The first one made for a device also allocates for all.
class Backend {
 public:
  virtual ~Backend() = default;
  /// A further stream of this device, with a backend of its own. Both share what belongs to the
  /// device.
  virtual std::unique_ptr<Backend> another_stream() = 0;

  virtual std::string description() const = 0;
  /// Whether the device does the op as a whole, by a library or by code of its own for this
  /// machine, which is faster than what it could be made of. From any thread.
  virtual bool has_library(ComputeOp) const { return false; }
  /// Memory aligned to 64 bytes (2 MiB for big blocks), or null if there is none left.
  virtual void* allocate(size_t bytes) = 0;
  virtual void release(void* data, size_t bytes) = 0;
  /// Most bytes that may be allocated; 0: no limit.
  virtual size_t memory_limit() const = 0;

  struct DeviceMemory {
    size_t available = 0, total = 0;  ///< bytes; 0, 0: the device does not report it
  };
  /// What the device has, whoever uses it.
  virtual DeviceMemory device_memory() { return {}; }

  /// Pinned host memory for transfers; ordinary memory where there is nothing to pin.
  virtual void* allocate_host(size_t bytes) = 0;
  virtual void release_host(void* data, size_t bytes) = 0;

  // From the queue's thread:
  /// What is launched from here to `end_plan` belongs to one run of the plan.
  virtual void begin_plan(const Plan&) {}
  /// Throws if launches of the plan that were put off have failed: then none of its results is
  /// good.
  virtual void end_plan() {}
  /// How often launches of a plan went to the device all at once, as a graph. From any thread.
  virtual int64_t graph_runs() const { return 0; }
  /// Launches of a backend that only enqueues may throw MemoryError: nothing that they read was
  /// written then, so that they can be tried again.
  virtual void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) = 0;
  virtual ComputeOutcome launch(const ComputeStep& step, void* const* addresses) = 0;
  /// Gives memory back that is kept for what ops need while they run. Waits for what was enqueued.
  virtual void give_back_scratch() {}
  /// `source` may be changed once this returns, if it is the host's and not pinned: pinned memory
  /// is read until what was enqueued is done. `destination` holds the bytes when this returns, if
  /// it is the host's.
  virtual void copy(void* destination, const void* source, size_t bytes, CopyKind kind) = 0;
  /// The threads that may each call launch and copy for steps that do not need each other's
  /// results; null: one step after the other.
  virtual Parallel* side_by_side() { return nullptr; }
  /// Of a backend with side_by_side: the work of the step, in elements computed, if that is so
  /// little that one thread may do all of it; else 0.
  virtual int64_t small_work(const Step&) const { return 0; }
  /// Waits until all launched and copied is done.
  virtual void finish() = 0;

  // A backend that only enqueues keeps account of its tickets; all from the queue's thread:
  /// The calling thread is the queue's from now on.
  virtual void begin_queue() {}
  virtual bool is_asynchronous() const { return false; }
  /// What was enqueued so far belongs to tickets up to this one.
  virtual void note(uint64_t) {}
  /// The last noted ticket whose work is done, or given up because the device is lost.
  virtual uint64_t done() { return 0; }
  /// Waits until a ticket is done that was noted.
  virtual void wait(uint64_t /*ticket*/) {}
  /// Takes the time at which all that is enqueued by now is done; for the ticket under way.
  virtual void take_time(uint64_t /*ticket*/) {}
  /// That time, in engine::seconds; of a ticket that is done, the first one asked for first.
  virtual double time_taken(uint64_t /*ticket*/) { return engine::seconds(); }
  /// What a compute op that is done has found wrong, if anything; once for each report.
  virtual std::optional<std::string> take_report(uint64_t /*report*/) { return std::nullopt; }
  /// Why all that lay on the device is lost, if that has happened since it was last set up.
  virtual std::optional<std::string> loss() { return std::nullopt; }
  /// Of the device's first stream, after a loss: sets the device up anew, without any memory, with
  /// all these streams of it. If that fails, all further calls throw and say so. No stream is used
  /// meanwhile.
  virtual void begin_again(const std::vector<Backend*>& /*streams*/) {}
  /// What is enqueued from now on starts after the ticket, noted by now, of another stream of this
  /// device.
  virtual void follow(Backend& /*other*/, uint64_t /*ticket*/) {}
  /// Calls `function`, from any thread, once all that is enqueued by now is done.
  virtual void call_when_done(void (*function)(void*), void* data) { function(data); }

  /// Whether a step of this kind is to fail now (fault injection); its number counts from 1.
  enum class Fault : uint8_t { op, allocation, copy };
  virtual bool fault(Fault) { return false; }
  virtual void configure(const engine::SimOptions&) {}

  /// Host memory that this thread may read directly once the queue is done.
  virtual bool host_readable() const = 0;
};

/// The backend of a device that exists; null otherwise. Made on first use.
std::unique_ptr<Backend> make_backend(Device device);
/// Devices that make_backend can make.
std::vector<Device> present_devices();
/// Whether the device is among them; looks for CUDA's only if it is one.
bool is_present(Device device);

}  // namespace tide
