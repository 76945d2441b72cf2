// A device in use: its backend, memory and streams.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/core/device.h"
#include "runtime/device/device_loss.h"
#include "runtime/device/error_table.h"
#include "runtime/device/memory.h"
#include "runtime/device/work_queue.h"

namespace tide {

class DeviceState;

/// A stream of a device: a queue of its own.
struct Stream {
  Stream(DeviceState& device, uint8_t number, std::unique_ptr<Backend> own, Backend& backend);

  DeviceState& device;
  const uint8_t number;                        ///< 0: what work goes to where nothing else is said
  const std::unique_ptr<Backend> own_backend;  ///< null: the device's
  Backend& backend;
  const std::unique_ptr<WorkQueue> queue;
};

/// A device in use: its backend, memory and streams. Lives until the process ends.
class DeviceState {
 public:
  explicit DeviceState(Device device, std::unique_ptr<Backend> backend, int number);

  const Device device;
  const int number;  ///< 0, 1, ...: place in the recorders' lists of windows
  const std::unique_ptr<Backend> backend;
  ProcessUse& use;  ///< what this process uses of it
  Allocator allocator;
  Allocator pinned;  ///< of the host's memory, for transfers to this device
  ErrorTable failures;
  DeviceLoss loss{failures};

  Stream& stream(size_t place) const { return *streams_[place]; }
  /// Whether there is a stream besides the first.
  bool has_streams() const { return stream_count_.load(std::memory_order_relaxed) > 1; }
  /// Those there are.
  std::vector<Stream*> streams() const;
  /// A new one; when there are kMostStreams, one that there is already, each in turn.
  Stream& add_stream();
  /// The one that writes the block.
  Stream& stream_of(const Storage& storage) const { return stream(storage.stream); }
  /// Waits until all streams are idle, whatever interrupts.
  void wait_uninterrupted();

  /// A block for values that the stream writes, or null if there is no room.
  Ref<Storage> try_allocate(size_t bytes, const Stream& stream,
                            CallSite site = current_call_site());
  /// Notes in the profile under way how many bytes tensors hold, if that has changed.
  void profile_memory();
  /// Drops what nobody can reach and gives cached blocks back. Waits for the queues. Not while a
  /// window is bound: its steps use blocks that are free again by then.
  void reclaim();
  /// Gives cached blocks and scratch memory back. Waits for the queues.
  void empty_cache();
  /// From now on tensors and cached blocks take no more than this; gives cached blocks back that
  /// are too much. Waits for the queues.
  void limit_memory(MemoryLimit limit);
  /// From the queue's thread of a stream, which has done all work before that of this number: gives
  /// back the cached blocks that nobody uses.
  void trim_unused(const Stream& stream, uint64_t work);
  /// The same for all devices whose memory is the host's.
  static void empty_host_caches();
  /// A block, with room made for it if need be. Throws MemoryError that says what holds the memory.
  Ref<Storage> allocate(size_t bytes, const Stream& stream, const char* op);
  [[noreturn]] void raise_out_of_memory(size_t bytes, const char* op) const;
  /// A block of pinned host memory, for values that a stream of the cpu writes. Throws MemoryError.
  Ref<Storage> allocate_pinned(size_t bytes, const Stream& stream, const char* op);
  /// The same for a copy of what lies on a device, which then takes no detour; null if ordinary
  /// memory is better: see docs/memory.md.
  Ref<Storage> try_allocate_pinned(size_t bytes, const Stream& stream);
  /// Keeps a block from reuse until a queue other than its stream's has come to `ticket`.
  void keep_until(Ref<Storage> storage, const WorkQueue& reader, uint64_t ticket);
  /// Gives up those that were read.
  void let_go();

  /// The state of a device, made on first use. Throws DeviceError if there is no such device.
  static DeviceState& of(Device device);
  /// Those in use.
  static std::vector<DeviceState*> all();
  /// The streams of all devices in use.
  static std::vector<Stream*> all_streams();
  /// The accelerator that pins host memory, for itself and all others: CUDA's first, else the first
  /// simulated one. Null if there is none.
  static DeviceState* pinning();
  /// Called when an allocation fails, before another try: drops what is unreachable.
  static void set_reclaim(std::function<void()> reclaim);
  /// Bytes that all devices were asked for since the start.
  static uint64_t allocated_bytes() { return allocated_bytes_.load(std::memory_order_relaxed); }
  /// The end of the process: what is queued is dropped, what runs ends.
  static void rest();

 private:
  std::vector<void*> begin_again();
  bool may_pin(size_t bytes, const Stream& stream);

  struct Kept {
    Ref<Storage> storage;
    uint64_t ticket;
  };
  struct Reader {
    const WorkQueue* queue;
    std::deque<Kept> kept;  ///< in the order of the queue, as good as
  };
  static inline std::atomic<uint64_t> allocated_bytes_{0};
  std::mutex streams_mutex_;
  std::array<std::unique_ptr<Stream>, kMostStreams> streams_;
  std::atomic<size_t> stream_count_{1};
  size_t added_ = 0;
  std::atomic<size_t> profiled_bytes_{0};
  std::atomic<int64_t> detours_{0};  ///< bytes copied through staging, less those that pinning cost
  std::mutex kept_mutex_;
  std::vector<Reader> readers_;
  std::atomic<size_t> kept_{0};
};

}  // namespace tide
