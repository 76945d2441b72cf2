// Small blocks from slabs, large ones from malloc.
#include "interpreter/run/script_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tide {

void* ScriptMemory::take(size_t size) {
  if (size > kLargest) return std::malloc(size);
  const size_t steps = (size + kStep - 1) / kStep;
  if (Spare* spare = spare_[steps]) {
    spare_[steps] = spare->next;
    return spare;
  }
  const size_t bytes = steps * kStep;
  if (left_ < bytes) {
    // What is left of the old slab, less than a block, stays unused.
    std::unique_ptr<std::byte[]> slab(new (std::nothrow) std::byte[kSlab]);
    if (!slab) return nullptr;
    free_ = slab.get();
    left_ = kSlab;
    slabs_.push_back(std::move(slab));
  }
  left_ -= bytes;
  return std::exchange(free_, free_ + bytes);
}

void ScriptMemory::give_back(void* block, size_t size) {
  if (size > kLargest) return std::free(block);
  Spare*& first = spare_[(size + kStep - 1) / kStep];
  first = new (block) Spare{first};
}

void* ScriptMemory::allocate(void* self, void* block, size_t old_size, size_t new_size) {
  auto& memory = *static_cast<ScriptMemory*>(self);
  // Without a block, the old size says what kind of object is wanted.
  if (!block) return new_size ? memory.take(new_size) : nullptr;
  if (!new_size) {
    memory.give_back(block, old_size);
    return nullptr;
  }
  if (old_size > kLargest && new_size > kLargest) return std::realloc(block, new_size);
  if ((old_size + kStep - 1) / kStep == (new_size + kStep - 1) / kStep) return block;
  void* moved = memory.take(new_size);
  if (!moved) return nullptr;
  std::memcpy(moved, block, std::min(old_size, new_size));
  memory.give_back(block, old_size);
  return moved;
}

}  // namespace tide
