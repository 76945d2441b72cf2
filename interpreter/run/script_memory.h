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
/// tensor a script sees is one. What it takes counts against the memory limit. For one thread.
class ScriptMemory {
 public:
  ScriptMemory() = default;
  ~ScriptMemory();
  ScriptMemory(const ScriptMemory&) = delete;
  ScriptMemory& operator=(const ScriptMemory&) = delete;

  /// A lua_Alloc; `self` is the ScriptMemory.
  static void* allocate(void* self, void* block, size_t old_size, size_t new_size);

 private:
  friend class MemoryLimited;
  static constexpr size_t kStep = 16;  ///< between sizes, and the alignment
  static constexpr size_t kLargest = 512;
  static constexpr size_t kSlab = 32 * 1024;
  /// Kept back for blocks that grow: from 5.4.5 on, Lua collects no garbage to make room for its
  /// stack, and after an error for lack of memory nothing but garbage may fill it.
  static constexpr size_t kKept = 64 * 1024;

  struct Spare {
    Spare* next;
  };

  static bool may_take(size_t bytes);
  bool may_grow(size_t bytes);
  static void* take_large(size_t size);
  void* resize_large(void* block, size_t old_size, size_t new_size);
  void* take(size_t size);
  void give_back(void* block, size_t size);

  inline static thread_local bool limited_ = false;

  std::array<Spare*, kLargest / kStep + 1> spare_{};  ///< by size in steps
  std::vector<std::unique_ptr<std::byte[]>> slabs_;
  std::byte* free_ = nullptr;  ///< the rest of the last slab
  size_t left_ = 0;
  size_t kept_ = 0;  ///< counted, and in no block
};

/// While one lives, memory beyond the limit is refused on its thread. Else it is only counted: the
/// program's own calls of Lua expect no error.
class MemoryLimited {
 public:
  MemoryLimited() : before_(std::exchange(ScriptMemory::limited_, true)) {}
  ~MemoryLimited() { ScriptMemory::limited_ = before_; }
  MemoryLimited(const MemoryLimited&) = delete;
  MemoryLimited& operator=(const MemoryLimited&) = delete;

 private:
  bool before_;
};

}  // namespace tide
