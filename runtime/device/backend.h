// What a kind of device must be able to do: memory, copies, launches, waiting for them.
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

namespace tide {

class AsyncStream;
class FaultInjection;
class HostParallelism;
class Kernel;
class Simulation;

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
  std::optional<uint64_t> report;      ///< that is not known yet: see AsyncStream::take_report
};

/// `from_pinned`: to the device, from pinned host memory. `to_pinned`: the other way.
enum class CopyKind : uint8_t { to_device, from_pinned, to_host, to_pinned, within, between };

/// How much memory may be taken from a device.
struct MemoryLimit {
  size_t bytes = 0;       ///< 0: no limit
  const char* name = "";  ///< the variable or function that sets it; empty: the device has no more
};

/// One stream of a device. The first one made for a device also allocates for all.
class Backend {
 public:
  virtual ~Backend() = default;
  /// A further stream of this device, with a backend of its own. Both share what belongs to the
  /// device.
  virtual std::unique_ptr<Backend> another_stream() = 0;

  /// Whether the device does the op as a whole, by a library or by code of its own for this
  /// machine, which is faster than what it could be made of. From any thread.
  virtual bool has_library(ComputeOp) const { return false; }
  /// Memory aligned to 64 bytes (2 MiB for big blocks), or null if there is none left.
  virtual void* allocate(size_t bytes) = 0;
  virtual void release(void* data, size_t bytes) = 0;
  /// Most bytes that may be allocated.
  virtual MemoryLimit memory_limit() const = 0;

  struct DeviceMemory {
    size_t available = 0, total = 0;  ///< bytes; 0, 0: the device does not report it
  };
  /// What the device has, whoever uses it.
  virtual DeviceMemory device_memory() { return {}; }

  /// Pinned host memory for transfers; ordinary memory where there is nothing to pin.
  virtual void* allocate_host(size_t bytes) = 0;
  virtual void release_host(void* data, size_t bytes) = 0;

  /// Host memory that this thread may read directly once the queue is done.
  virtual bool host_readable() const = 0;

  // From the queue's thread:
  /// Launches of a backend that only enqueues may throw MemoryError: nothing that they read was
  /// written then, so that they can be tried again.
  virtual void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) = 0;
  virtual ComputeOutcome launch(const ComputeStep& step, void* const* addresses) = 0;
  /// Gives memory back that is kept for what ops need while they run. Waits for what was enqueued.
  virtual void give_back_scratch() {}
  /// `source` may be changed once this returns, if it is the host's and not pinned: pinned memory
  /// is read until what was enqueued is done. `destination` holds the bytes when this returns, if
  /// it is the host's and not pinned.
  virtual void copy(void* destination, const void* source, size_t bytes, CopyKind kind) = 0;
  /// Waits until all launched and copied is done.
  virtual void finish() = 0;

  // What only some backends can do; null for those that cannot:
  /// Of a backend that only enqueues.
  virtual AsyncStream* async_stream() { return nullptr; }
  /// Of one whose steps may run side by side, now.
  virtual HostParallelism* host_parallelism() { return nullptr; }
  virtual Simulation* simulation() { return nullptr; }
  virtual FaultInjection* fault_injection() { return nullptr; }
};

}  // namespace tide
