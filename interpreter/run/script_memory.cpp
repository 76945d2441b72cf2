// Allocates small blocks from slabs and large ones with malloc.
#include "interpreter/run/script_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "bindings/module.h"

namespace tide {

bool ScriptMemory::may_take(size_t bytes) {
  if (tide_take_memory(bytes)) return true;
  if (!limited_) tide_count_memory(bytes);
  return !limited_;
}

bool ScriptMemory::may_grow(size_t bytes) {
  if (may_take(bytes)) {
    if (kept_ < kKept && may_take(kKept - kept_)) kept_ = kKept;
    return true;
  }
  if (bytes > kept_) return false;
  kept_ -= bytes;
  return true;
}

void* ScriptMemory::take_large(size_t size) {
  if (!may_take(size)) return nullptr;
  void* const block = std::malloc(size);
  if (!block) tide_return_memory(size);
  return block;
}

void* ScriptMemory::resize_large(void* block, size_t old_size, size_t new_size) {
  const size_t growth = new_size > old_size ? new_size - old_size : 0;
  if (growth && !may_grow(growth)) return nullptr;
  void* const moved = std::realloc(block, new_size);
  tide_return_memory(moved ? old_size + growth - new_size : growth);
  return moved;
}

ScriptMemory::~ScriptMemory() { tide_return_memory(slabs_.size() * kSlab + kept_); }

void* ScriptMemory::take(size_t size) {
  if (size > kLargest) return take_large(size);
  const size_t steps = (size + kStep - 1) / kStep;
  if (Spare* spare = spare_[steps]) {
    spare_[steps] = spare->next;
    return spare;
  }
  const size_t bytes = steps * kStep;
  if (left_ < bytes) {
    // The end of the old slab, less than a block, stays unused.
    if (!may_take(kSlab)) return nullptr;
    std::unique_ptr<std::byte[]> slab(new (std::nothrow) std::byte[kSlab]);
    if (!slab) tide_return_memory(kSlab);
    if (!slab) return nullptr;
    free_ = slab.get();
    left_ = kSlab;
    slabs_.push_back(std::move(slab));
  }
  left_ -= bytes;
  return std::exchange(free_, free_ + bytes);
}

void ScriptMemory::release(void* block, size_t size) {
  if (size > kLargest) {
    std::free(block);
    return tide_return_memory(size);
  }
  Spare*& first = spare_[(size + kStep - 1) / kStep];
  first = new (block) Spare{first};
}

void* ScriptMemory::allocate(void* self, void* block, size_t old_size, size_t new_size) {
  auto& memory = *static_cast<ScriptMemory*>(self);
  // Without a block, old_size encodes the kind of object to allocate.
  if (!block) return new_size ? memory.take(new_size) : nullptr;
  if (!new_size) {
    memory.release(block, old_size);
    return nullptr;
  }
  if (old_size > kLargest && new_size > kLargest)
    return memory.resize_large(block, old_size, new_size);
  if ((old_size + kStep - 1) / kStep == (new_size + kStep - 1) / kStep) return block;
  void* moved = memory.take(new_size);
  if (!moved) return nullptr;
  std::memcpy(moved, block, std::min(old_size, new_size));
  memory.release(block, old_size);
  return moved;
}

}  // namespace tide
