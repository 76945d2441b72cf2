// Allocates handles of all states from one address range, with free lists per thread.
#include "bindings/objects/handle_memory.h"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

#include "bindings/objects/tensor_object.h"
#include "runtime/os/memory_budget.h"

namespace tide::bindings {
namespace {

constexpr size_t kBlock = 64;     ///< size of a handle: Lua's header and a Box<Tensor>, rounded up
constexpr size_t kBlocks = 1024;  ///< blocks that a thread allocates at a time

/// An address range for handles only, so that the address of a freed block identifies a handle. It
/// fits 64 million; then allocation fails. Only used pages are backed by memory. Never unmapped,
/// because states may be closed at any time.
struct Range {
  std::byte* begin = nullptr;
  size_t size = 0;
  std::atomic<size_t> used = 0;

  void reserve() {
    constexpr size_t kMost = size_t{4} << 30, kLeast = size_t{64} << 20;
    for (size_t wanted = kMost; !size && wanted >= kLeast; wanted /= 4) {
      void* found = mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (found == MAP_FAILED) continue;
      madvise(found, wanted, MADV_NOHUGEPAGE);
      begin = static_cast<std::byte*>(found);
      size = wanted;
    }
  }
  bool contains(const void* block) const {
    return static_cast<size_t>(static_cast<const std::byte*>(block) - begin) < size;
  }
  /// Null if the range is exhausted.
  std::byte* take(size_t bytes) {
    size_t start = used.load();
    do {
      if (size - start < bytes) return nullptr;
    } while (!used.compare_exchange_weak(start, start + bytes));
    return begin + start;
  }
};
constinit Range range;

/// A free block.
struct Spare {
  Spare* next;
};

/// Free blocks of threads that have ended.
struct Orphans {
  std::mutex mutex;
  Spare* first = nullptr;
};

/// The original allocator of a state.
struct BaseAllocator {
  lua_Alloc allocate;
  void* self;
};

Orphans& orphans() {
  static Orphans& instance = *new Orphans;  // never destroyed: threads may end later
  return instance;
}

/// The layout of Lua's userdata; the same in all states.
struct Layout {
  size_t userdata_bytes = 0;  ///< size of a userdata with a Box<Tensor>
  size_t box_offset = 0;      ///< offset of the box in it
};
Layout layout;

constinit thread_local Spare* spare_of_thread = nullptr;

struct Closer {
  ~Closer() {
    const std::lock_guard lock(orphans().mutex);
    while (Spare* spare = spare_of_thread) {
      spare_of_thread = spare->next;
      spare->next = std::exchange(orphans().first, spare);
    }
  }
};
thread_local Closer closer;

/// Allocates more blocks for this thread; false if out of memory.
bool refill() {
  static_cast<void>(&closer);
  {
    const std::lock_guard lock(orphans().mutex);
    spare_of_thread = std::exchange(orphans().first, nullptr);
  }
  if (spare_of_thread) return true;
  if (!take_memory(kBlocks * kBlock)) return false;
  std::byte* const begin = range.take(kBlocks * kBlock);
  if (!begin) return false;
  for (size_t i = kBlocks; i-- > 0;)
    spare_of_thread = new (begin + i * kBlock) Spare{spare_of_thread};
  return true;
}

void* take() {
  if (!spare_of_thread && !refill()) return nullptr;
  Spare* const spare = std::exchange(spare_of_thread, spare_of_thread->next);
  __builtin_prefetch(spare_of_thread, 1);  // the next block was freed long ago
  return spare;
}

void release(void* block) {
  auto* box = reinterpret_cast<Box<Tensor>*>(static_cast<std::byte*>(block) + layout.box_offset);
  // Other userdata of this size, and handles whose construction failed, have no Tensor.
  if (std::exchange(box->info, nullptr) == &kClass<Tensor>) end_handle(*box);
  spare_of_thread = new (block) Spare{spare_of_thread};
}

/// A lua_Alloc; `self` is a BaseAllocator.
void* allocate(void* self, void* block, size_t old_size, size_t new_size) {
  // Without a block, old_size encodes the kind of object to allocate.
  if (!block && old_size == LUA_TUSERDATA && new_size == layout.userdata_bytes) return take();
  if (block && range.contains(block)) {
    release(block);  // userdata keep their size
    return nullptr;
  }
  const BaseAllocator& base = *static_cast<BaseAllocator*>(self);
  return base.allocate(base.self, block, old_size, new_size);
}

/// Measures the layout by creating a userdata with a probing allocator.
Layout measure(lua_State* L) {
  struct Probe {
    BaseAllocator base;
    Layout layout;
    std::byte* block = nullptr;
  } probe;
  probe.base.allocate = lua_getallocf(L, &probe.base.self);
  const auto look = [](void* self, void* block, size_t old_size, size_t new_size) -> void* {
    Probe& found = *static_cast<Probe*>(self);
    void* made = found.base.allocate(found.base.self, block, old_size, new_size);
    if (!block && old_size == LUA_TUSERDATA && made && !found.block) {
      found.block = static_cast<std::byte*>(made);
      found.layout.userdata_bytes = new_size;
    }
    return made;
  };
  lua_setallocf(L, look, &probe);
  auto* box = static_cast<std::byte*>(lua_newuserdatauv(L, sizeof(Box<Tensor>), 0));
  probe.layout.box_offset = static_cast<size_t>(box - probe.block);
  lua_setallocf(L, probe.base.allocate, probe.base.self);
  lua_pop(L, 1);
  return probe.layout;
}

}  // namespace

void open_handle_memory(lua_State* L) {
  static std::mutex mutex;
  static std::deque<BaseAllocator>& known = *new std::deque<BaseAllocator>;
  const std::lock_guard lock(mutex);
  range.reserve();
  if (!layout.userdata_bytes) layout = measure(L);
  BaseAllocator own;
  own.allocate = lua_getallocf(L, &own.self);
  for (BaseAllocator& base : known)
    if (base.allocate == own.allocate && base.self == own.self)
      return lua_setallocf(L, allocate, &base);
  lua_setallocf(L, allocate, &known.emplace_back(own));
}

}  // namespace tide::bindings
