// The interface of a kind of device: memory, copies, launches, synchronization.
//
// Each queue (queue.h) has its own backend and calls launch and copy from its thread, in order.
// Host backends run each call to completion; a driver's backend enqueues it on the stream, and
// `finish` waits for enqueued work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "runtime/ir/compute_op.h"
#include "runtime/ir/loop.h"
#include "runtime/types/device.h"

namespace tide {

class AsyncStream;
class FaultInjection;
class HostParallelism;
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

/// A compute op's report about invalid values (ir/compute_failure.h).
struct ComputeOutcome {
  std::optional<std::string> failure;  ///< the error message
  std::optional<uint64_t> report;      ///< if it is not known yet: see AsyncStream::take_report
};

/// `from_pinned`: to the device, from pinned host memory. `to_pinned`: the other way.
enum class CopyKind : uint8_t { to_device, from_pinned, to_host, to_pinned, within, between };

/// The limit on memory allocated from a device.
struct MemoryLimit {
  size_t bytes = 0;       ///< 0: no limit
  const char* name = "";  ///< the variable or function that sets it; empty: the device's capacity
};

/// One stream of a device. The first one of a device also allocates for all.
class Backend {
 public:
  virtual ~Backend() = default;
  /// A further stream of this device, with its own backend. Both share the device's resources.
  virtual std::unique_ptr<Backend> another_stream() = 0;

  /// Whether the device runs the op as one, by a library or by code specific to it, faster than a
  /// composition of other ops. Callable from any thread.
  virtual bool has_library(ComputeOp) const { return false; }
  /// Memory aligned to 64 bytes (2 MiB for large blocks), or null if none is left.
  virtual void* allocate(size_t bytes) = 0;
  virtual void release(void* data, size_t bytes) = 0;
  /// The limit on allocated bytes.
  virtual MemoryLimit memory_limit() const = 0;

  struct DeviceMemory {
    size_t available = 0, total = 0;  ///< bytes; 0, 0: the device does not report it
  };
  /// The device's memory, including use by other processes.
  virtual DeviceMemory device_memory() { return {}; }

  /// Pinned host memory for transfers; pageable memory if pinning is not supported.
  virtual void* allocate_host(size_t bytes) = 0;
  virtual void release_host(void* data, size_t bytes) = 0;

  /// Whether this thread may read device memory directly once the queue is done.
  virtual bool host_readable() const = 0;

  // From the queue's thread:
  /// Launches of asynchronous backends may throw MemoryError: then none of their inputs has been
  /// modified, so that they can be retried.
  virtual void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) = 0;
  virtual ComputeOutcome launch(const ComputeStep& step, void* const* addresses) = 0;
  /// Frees the cached workspace. Waits for enqueued work.
  virtual void release_workspace() {}
  /// `source` may be modified once this returns if it is pageable host memory: pinned memory is
  /// read until enqueued work is done. Pageable host memory at `destination` contains the bytes
  /// when this returns.
  virtual void copy(void* destination, const void* source, size_t bytes, CopyKind kind) = 0;
  /// Waits until all launches and copies are done.
  virtual void finish() = 0;

  // Optional interfaces; null if not supported:
  /// For backends that only enqueue.
  virtual AsyncStream* async_stream() { return nullptr; }
  /// For backends whose steps may currently run concurrently.
  virtual HostParallelism* host_parallelism() { return nullptr; }
  virtual Simulation* simulation() { return nullptr; }
  virtual FaultInjection* fault_injection() { return nullptr; }
};

}  // namespace tide
