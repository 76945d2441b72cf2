// The caching allocator of a device: blocks in size classes, reused in the order of its queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/ref.h"
#include "runtime/graph/backend.h"
#include "runtime/graph/engine.h"

namespace tide {

class Allocator;

/// "64.0 MB".
std::string size_text(size_t bytes);

/// A block in use. Given back when the last owner goes: it may then be handed out again at once, as
/// everything that runs later on the device's queue runs after what used it before.
struct Storage : RefCounted<Storage> {
  void* data = nullptr;
  size_t bytes = 0;  ///< of the block
  bool lost = false;  ///< the device does not have it any more: see Allocator::abandon
  Allocator* allocator = nullptr;
  CallSite site;     ///< the line that needed it
  Storage* previous = nullptr;  ///< neighbours in the allocator's list of blocks in use
  Storage* next = nullptr;
  /// Whether it is host memory that devices may copy from directly.
  bool pinned() const;
  static void destroy(Storage* storage);
};

/// Thread-safe. Blocks go back to the backend only in `trim`, and at the end, when all storage must have been given back.
class Allocator {
 public:
  /// What the blocks are: memory of the device, or the host's, pinned for transfers to it.
  enum class Memory : uint8_t { device, pinned_host };
  explicit Allocator(Backend& backend, Memory memory = Memory::device)
      : backend_(backend), memory_(memory) {}
  ~Allocator();
  Allocator(const Allocator&) = delete;

  /// A block of at least this size, or null: the caller reclaims and tries again, then reports.
  Ref<Storage> allocate(size_t bytes);
  /// Gives cached blocks back to the backend, and returns how many bytes that were.
  size_t trim();
  /// The device has lost its memory: forgets all blocks, and returns the addresses of those in use.
  /// As long as somebody holds one of these, no other block comes to lie where it was, so that an
  /// address still means one value.
  std::vector<void*> abandon();
  engine::MemoryStatistics statistics() const;
  void reset_peak();
  void release(Storage* storage);
  bool pinned() const { return memory_ == Memory::pinned_host; }
  /// Who holds most, by script line: "lesson.lua:12 holds 64.0 MB, ..."; empty if no line is known.
  std::string largest_holders() const;

  /// The size of the block that is handed out for so many bytes.
  static size_t block_size(size_t bytes);

 private:
  void* take_cached(size_t& bytes);
  void* carve_small(size_t bytes);
  void* obtain(size_t bytes);
  void* obtain_block(size_t bytes);
  void give_back(void* data, size_t bytes);
  bool meets_lost(const void* data, size_t bytes) const;

  Backend& backend_;
  const Memory memory_;
  mutable std::mutex mutex_;
  static constexpr size_t kSmallest = 64;
  static constexpr size_t kSmallLimit = 32 * 1024;  ///< below: carved from slabs, never given back
  static constexpr size_t kSlab = 1024 * 1024;
  /// Blocks of up to kTurnLimit bytes rest for kTurns - 1 others before they are used again, so that
  /// submissions with small temporaries do not have to wait for each other (strands.h).
  static constexpr size_t kTurnLimit = 1024, kTurns = 16;
  std::vector<std::vector<void*>> small_{kSmallLimit / kSmallest + 1};
  std::map<size_t, std::vector<void*>> large_;
  Storage in_use_;               ///< head of the list of blocks in use
  std::vector<Storage*> spare_;  ///< Storage objects for reuse
  std::vector<char*> slabs_;
  char* slab_ = nullptr;         ///< what is left of the last of them
  size_t slab_left_ = 0;
  std::map<const char*, size_t> lost_;  ///< blocks in use that the device has lost
  std::vector<std::pair<void*, size_t>> shunned_;  ///< blocks that lie where lost ones did
  engine::MemoryStatistics statistics_;
};

inline bool Storage::pinned() const { return allocator && allocator->pinned(); }

}  // namespace tide
