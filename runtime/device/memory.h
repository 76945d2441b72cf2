// The caching allocator of a device: blocks in size classes, reused in stream order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/call_site.h"
#include "runtime/device/memory_ledger.h"
#include "runtime/device/memory_statistics.h"
#include "runtime/device/process_use.h"
#include "runtime/types/ref.h"

namespace tide {

class Allocator;

/// A block, written by only one stream. Returned to the allocator with its last reference: it may
/// then be reused on that stream immediately, because later work there runs after all work that
/// used it. Other streams keep it as long as they read it (DeviceState::keep_until).
struct Storage : RefCounted<Storage> {
  void* data = nullptr;
  size_t bytes = 0;  ///< of the block
  Allocator* allocator = nullptr;
  uint8_t stream = 0;  ///< number of the stream that writes it, on the device of its values
  MemoryLedger::Account* holder = nullptr;  ///< of the line that allocated it
  Storage* previous = nullptr;              ///< neighbours in the allocator's list of blocks in use
  Storage* next = nullptr;                  ///< or the one below in a stack of cached blocks
  uint64_t released_after = 0;  ///< of a cached block: the last work number at its release
  /// Whether it is host memory from which devices may copy directly.
  bool pinned() const;
  static void destroy(Storage* storage);
};

/// Most streams of a device.
constexpr size_t kMostStreams = 32;

/// Thread-safe. Releasing storage needs no memory, so it cannot fail when there is none. Each
/// stream has its own cached blocks, because another stream could use a released block only after
/// waiting; when memory is short, the blocks of all are freed. Blocks return to the backend only in
/// `trim`, and at destruction, when all storage must have been released.
class Allocator {
 public:
  using Memory = DeviceBackend::Memory;
  /// Memory taken from the device is added to `use`, to which no other allocator adds.
  Allocator(DeviceBackend& backend, ProcessUse& use, Memory memory = Memory::device)
      : backend_(backend), use_(use), memory_(memory) {}
  ~Allocator();
  Allocator(const Allocator&) = delete;

  /// A block of at least this size for a stream, or null: the caller then reclaims memory and
  /// retries, or reports. `site` is the line that needs it.
  Ref<Storage> allocate(size_t bytes, uint8_t stream = 0, CallSite site = current_call_site());
  /// A cached block of at least this size, or null.
  Ref<Storage> allocate_cached(size_t bytes, uint8_t stream, CallSite site = current_call_site());
  /// Frees cached blocks and returns the number of bytes. No queue may use them any more.
  size_t trim();
  /// Frees large cached blocks of one stream that were released before the work of this number was
  /// flushed: all earlier work of the stream is done, later work may continue.
  void trim_unused(uint8_t stream, uint64_t work);
  /// Limits the memory taken from the device. Memory it already has stays.
  void limit_to(MemoryLimit limit);
  MemoryStatistics statistics() const;
  void reset_peak();
  void release(Storage* storage);
  bool pinned() const { return memory_ == Memory::pinned_host; }
  /// Holders of the allocated blocks, now and at the peak, by the script's line.
  std::vector<MemoryHolder> holders() const;

  /// The size of the block that is allocated for this many bytes.
  static size_t block_size(size_t bytes);

 private:
  static constexpr size_t kSmallest = 64;
  static constexpr size_t kSmallLimit = 32 * 1024;  ///< below: carved from slabs
  static constexpr size_t kSlab = 256 * 1024;
  /// Blocks of up to kTurnLimit bytes are reused only after kTurns - 1 others, so that submissions
  /// with small temporaries do not have to wait for each other (independent_batches.h).
  static constexpr size_t kTurnLimit = 1024, kTurns = 16;

  /// Cached blocks of one size, the most recently released on top.
  class Stack {
   public:
    Stack() = default;
    Stack(const Stack&) = delete;
    ~Stack();
    void push(Storage* storage);
    Storage* pop();  ///< null if empty
    template <class Condition>
    void drop_if(const Condition& condition);

   private:
    Storage* top_ = nullptr;
  };
  /// The most recently released blocks of a size, round-robin.
  struct Resting {
    std::array<Storage*, kTurns - 1> blocks{};
    size_t oldest = 0;
    ~Resting();
  };
  /// The cached blocks of one stream.
  struct Pool {
    std::array<Stack, kSmallLimit / kSmallest + 1> small;
    std::array<Resting, kTurnLimit / kSmallest + 1> resting;
    std::map<size_t, Stack> large;  ///< with an entry for each size ever obtained
  };
  Pool& pool(uint8_t stream) {
    if (!pools_[stream]) pools_[stream] = std::make_unique<Pool>();
    return *pools_[stream];
  }
  Storage* take_cached(Pool& pool, size_t bytes);
  /// A new block, or null.
  Storage* make(Pool& pool, size_t bytes);
  Ref<Storage> hand_out(Storage* storage, uint8_t stream, MemoryLedger::Account& holder);
  MemoryLimit limit() const;
  bool may_take(size_t bytes) const;
  void* carve_small(size_t bytes);
  size_t trim_slabs();
  void* obtain(size_t bytes);
  void release_memory(void* data, size_t bytes);
  void count(int64_t bytes);

  DeviceBackend& backend_;
  ProcessUse& use_;
  const Memory memory_;
  mutable std::mutex mutex_;
  std::unique_ptr<Pool> pools_[kMostStreams];  ///< made on first use
  Storage in_use_;                             ///< head of the list of blocks in use
  struct Slab {
    char* start;
    bool in_use;  ///< of trim_slabs
  };
  std::vector<Slab> slabs_;
  char* slab_ = nullptr;  ///< the remainder of the newest slab
  size_t slab_left_ = 0;
  MemoryLimit limit_;  ///< in addition to the backend's own
  MemoryStatistics statistics_;
  MemoryLedger ledger_;
};

inline bool Storage::pinned() const { return allocator && allocator->pinned(); }

}  // namespace tide
