// A range of addresses for handles of all states, carved by threads.
#include "bindings/objects/handle_memory.h"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

#include "bindings/objects/tensor_object.h"
#include "runtime/core/memory_budget.h"

namespace tide::bindings {
namespace {

constexpr size_t kBlock = 64;     ///< of one handle; Lua's header and a Box<Tensor> are less
constexpr size_t kBlocks = 1024;  ///< that a thread takes at a time

/// Addresses that only handles have, so that an address tells what is being freed: room for 64
/// million, after which Lua has no memory. Memory stands behind those only that have been used.
/// Never given back: states may be closed at any time.
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
  /// Null if all are taken.
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

/// Free blocks that ended threads have left.
struct Left {
  std::mutex mutex;
  Spare* first = nullptr;
};

/// The allocator of a state from before.
struct Below {
  lua_Alloc allocate;
  void* self;
};

Left& left() {
  static Left& found = *new Left;  // never destroyed: threads may end later
  return found;
}

/// Where Lua puts things; the same in all states.
struct Form {
  size_t userdata_bytes = 0;  ///< of the block of a userdata with a Box<Tensor>
  size_t box_offset = 0;      ///< of the box in it
};
Form form;

constinit thread_local Spare* spare_of_thread = nullptr;

struct Closer {
  ~Closer() {
    const std::lock_guard lock(left().mutex);
    while (Spare* spare = spare_of_thread) {
      spare_of_thread = spare->next;
      spare->next = std::exchange(left().first, spare);
    }
  }
};
thread_local Closer closer;

/// More blocks for this thread; false if there are none.
bool refill() {
  static_cast<void>(&closer);
  {
    const std::lock_guard lock(left().mutex);
    spare_of_thread = std::exchange(left().first, nullptr);
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
  __builtin_prefetch(spare_of_thread, 1);  // the next one was given back long ago
  return spare;
}

void give_back(void* block) {
  auto* box = reinterpret_cast<Box<Tensor>*>(static_cast<std::byte*>(block) + form.box_offset);
  // Other userdata of this size, and handles whose making failed, hold something else.
  if (std::exchange(box->info, nullptr) == &kClass<Tensor>) end_handle(*box);
  spare_of_thread = new (block) Spare{spare_of_thread};
}

/// A lua_Alloc; `self` is a Below.
void* allocate(void* self, void* block, size_t old_size, size_t new_size) {
  // Without a block, the old size says what kind of object is wanted.
  if (!block && old_size == LUA_TUSERDATA && new_size == form.userdata_bytes) return take();
  if (block && range.contains(block)) {
    give_back(block);  // userdata keep their size
    return nullptr;
  }
  const Below& below = *static_cast<Below*>(self);
  return below.allocate(below.self, block, old_size, new_size);
}

/// Makes a userdata by an allocator that looks at where it goes.
Form measure(lua_State* L) {
  struct Probe {
    Below below;
    Form form;
    std::byte* block = nullptr;
  } probe;
  probe.below.allocate = lua_getallocf(L, &probe.below.self);
  const auto look = [](void* self, void* block, size_t old_size, size_t new_size) -> void* {
    Probe& found = *static_cast<Probe*>(self);
    void* made = found.below.allocate(found.below.self, block, old_size, new_size);
    if (!block && old_size == LUA_TUSERDATA && made && !found.block) {
      found.block = static_cast<std::byte*>(made);
      found.form.userdata_bytes = new_size;
    }
    return made;
  };
  lua_setallocf(L, look, &probe);
  auto* box = static_cast<std::byte*>(lua_newuserdatauv(L, sizeof(Box<Tensor>), 0));
  probe.form.box_offset = static_cast<size_t>(box - probe.block);
  lua_setallocf(L, probe.below.allocate, probe.below.self);
  lua_pop(L, 1);
  return probe.form;
}

}  // namespace

void open_handle_memory(lua_State* L) {
  static std::mutex mutex;
  static std::deque<Below>& known = *new std::deque<Below>;
  const std::lock_guard lock(mutex);
  range.reserve();
  if (!form.userdata_bytes) form = measure(L);
  Below own;
  own.allocate = lua_getallocf(L, &own.self);
  for (Below& below : known)
    if (below.allocate == own.allocate && below.self == own.self)
      return lua_setallocf(L, allocate, &below);
  lua_setallocf(L, allocate, &known.emplace_back(own));
}

}  // namespace tide::bindings
