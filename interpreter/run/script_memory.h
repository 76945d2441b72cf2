// The memory of a Lua state.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tide {

/// An allocator for Lua: small blocks are carved from slabs and kept in lists by size, which takes
/// a few instructions where a general allocator takes hundreds. A state makes and drops many: each
/// tensor a script sees is one. For one thread.
class ScriptMemory {
 public:
  /// A lua_Alloc; `self` is the ScriptMemory.
  static void* allocate(void* self, void* block, size_t old_size, size_t new_size);

 private:
  static constexpr size_t kStep = 16;  ///< between sizes, and the alignment
  static constexpr size_t kLargest = 512;
  static constexpr size_t kSlab = 32 * 1024;

  struct Spare {
    Spare* next;
  };

  void* take(size_t size);
  void give_back(void* block, size_t size);

  std::array<Spare*, kLargest / kStep + 1> spare_{};  ///< by size in steps
  std::vector<std::unique_ptr<std::byte[]>> slabs_;
  std::byte* free_ = nullptr;  ///< the rest of the last slab
  size_t left_ = 0;
};

}  // namespace tide
