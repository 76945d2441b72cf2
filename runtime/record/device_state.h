// A device in use: its backend, memory and streams.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/device/error_table.h"
#include "runtime/device/memory.h"
#include "runtime/device/registry.h"
#include "runtime/record/queue.h"
#include "runtime/types/device.h"

namespace tide {

class DeviceState;

/// A stream of a device, with its own queue.
struct Stream {
  Stream(DeviceState& device, uint8_t number);

  DeviceState& device;
  const uint8_t number;  ///< 0: the default stream
  const std::unique_ptr<StreamBackend> backend;
  const std::unique_ptr<Queue> queue;
};

/// A device in use: its backend, memory and streams. Lives until the process ends.
class DeviceState {
 public:
  DeviceState(Device device, std::unique_ptr<DeviceBackend> backend, int number);

  const Device device;
  const int number;  ///< 0, 1, ...: index in the recorders' lists of windows
  const std::unique_ptr<DeviceBackend> backend;
  ProcessUse& use;  ///< use by this process
  Allocator allocator;
  Allocator pinned;  ///< of host memory, for transfers to this device
  ErrorTable failures;

  Stream& stream(size_t place) const { return *streams_[place]; }
  /// Whether there is a stream besides the first.
  bool has_streams() const { return stream_count_.load(std::memory_order_relaxed) > 1; }
  /// All current streams.
  std::vector<Stream*> streams() const;
  /// A new stream; if there are already kMostStreams, an existing one, round-robin. Throws
  /// DeviceError if the device is lost.
  Stream& add_stream();
  /// The stream that writes the block.
  Stream& stream_of(const Storage& storage) const { return stream(storage.stream); }
  /// Waits until all streams are idle, ignoring interrupts.
  void wait_uninterrupted();

  /// A block for values that the stream writes, or null if memory is short. Throws DeviceError if
  /// the device is lost.
  Ref<Storage> try_allocate(size_t bytes, const Stream& stream,
                            CallSite site = current_call_site());
  /// The device's memory, including use by other processes. Throws DeviceError if it is lost.
  DeviceBackend::MemoryUse memory();
  /// Records the bytes of tensors in the current profile, if changed.
  void profile_memory();
  /// Drops unreachable values and frees cached blocks. Waits for the queues. Must not be called
  /// while a window is being bound: its steps may use blocks that are already back in the cache.
  void reclaim();
  /// Frees cached blocks and workspace. Waits for the queues.
  void empty_cache();
  /// Limits the memory of tensors and cached blocks; frees cached blocks above the limit. Waits for
  /// the queues.
  void limit_memory(MemoryLimit limit);
  /// From the queue's thread of a stream, which has done all work before this number: frees unused
  /// cached blocks.
  void trim_unused(const Stream& stream, uint64_t work);
  /// Like empty_cache, for all devices that use host memory.
  static void empty_host_caches();
  /// A block; frees memory if necessary. Throws MemoryError that lists what holds the memory.
  Ref<Storage> allocate(size_t bytes, const Stream& stream, const char* op);
  [[noreturn]] void raise_out_of_memory(size_t bytes, const char* op) const;
  /// A block of pinned host memory, for values that a stream of the cpu writes. Throws MemoryError.
  Ref<Storage> allocate_pinned(size_t bytes, const Stream& stream, const char* op);
  /// Like allocate_pinned, for the copy of a device's value, which is then transferred directly;
  /// null if pageable memory is better: see docs/memory.md.
  Ref<Storage> try_allocate_pinned(size_t bytes, const Stream& stream);
  /// Copies a value of this device that is ready to the host, from any thread.
  void fetch(void* destination, const void* source, size_t bytes, CopyKind kind);
  /// Whether host threads may read the device's memory directly once the queue is done.
  bool host_readable() const { return capabilities(device).host_readable; }
  /// Keeps a block from reuse until a queue other than its stream's has reached `ticket`.
  void keep_until(Ref<Storage> storage, const Queue& reader, uint64_t ticket);
  /// Releases the blocks that have been read.
  void release_kept();

  /// The state of a device, made on first use. Throws DeviceError if there is no such device.
  static DeviceState& of(Device device);
  /// All devices in use.
  static std::vector<DeviceState*> all();
  /// The streams of all devices in use.
  static std::vector<Stream*> all_streams();
  /// The accelerator that pins host memory, for itself and all others: the first CUDA device, else
  /// the first simulated one. Null if there is none.
  static DeviceState* pinning();
  /// Called when an allocation fails, before a retry: drops unreachable values.
  static void set_reclaim(std::function<void()> reclaim);
  /// Bytes allocated on all devices since the start.
  static uint64_t allocated_bytes() { return allocated_bytes_.load(std::memory_order_relaxed); }
  /// At exit: drops queued work and ends running work.
  static void shut_down();

 private:
  bool may_pin(size_t bytes, const Stream& stream);
  /// Calls `function`. If the device is lost, throws the error of the loss, with the line.
  template <class Function>
  auto unless_lost(const Function& function);
  void check_not_lost();

  struct Kept {
    Ref<Storage> storage;
    uint64_t ticket;
  };
  struct Reader {
    const Queue* queue;
    std::deque<Kept> kept;  ///< almost in the order of the queue
  };
  static inline std::atomic<uint64_t> allocated_bytes_{0};
  std::mutex streams_mutex_, fetches_mutex_;
  std::unique_ptr<StreamBackend> fetches_;  ///< for `fetch`; made on first use
  std::array<std::unique_ptr<Stream>, kMostStreams> streams_;
  std::atomic<size_t> stream_count_{1};
  size_t added_ = 0;
  std::atomic<size_t> profiled_bytes_{0};
  std::atomic<int64_t> detours_{0};  ///< bytes staged, minus the cost of pinning
  std::mutex kept_mutex_;
  std::vector<Reader> readers_;
  std::atomic<size_t> kept_{0};
};

}  // namespace tide
