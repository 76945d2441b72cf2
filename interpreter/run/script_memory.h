// The memory allocator of a Lua state.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tide {

/// An allocator for Lua: small blocks are carved from slabs and kept in free lists by size, which
/// takes a few instructions instead of the hundreds of a general allocator. States allocate many,
/// at least one per tensor. The memory counts against the memory limit. Not thread-safe.
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
  static constexpr size_t kStep = 16;  ///< size granularity and alignment
  static constexpr size_t kLargest = 512;
  static constexpr size_t kSlab = 32 * 1024;
  /// Reserved for blocks that grow: since 5.4.5, Lua does not collect garbage to grow its stack,
  /// and after an out-of-memory error all memory may be garbage.
  static constexpr size_t kKept = 64 * 1024;

  struct Spare {
    Spare* next;
  };

  static bool may_take(size_t bytes);
  bool may_grow(size_t bytes);
  static void* take_large(size_t size);
  void* resize_large(void* block, size_t old_size, size_t new_size);
  void* take(size_t size);
  void release(void* block, size_t size);

  inline static thread_local bool limited_ = false;

  std::array<Spare*, kLargest / kStep + 1> spare_{};  ///< by size in steps
  std::vector<std::unique_ptr<std::byte[]>> slabs_;
  std::byte* free_ = nullptr;  ///< the unused part of the last slab
  size_t left_ = 0;
  size_t kept_ = 0;  ///< bytes counted against the limit but not in any block
};

/// While it exists, allocations beyond the limit fail on this thread. Otherwise they are only
/// counted: the program's own Lua calls do not expect errors.
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
