// Host memory of scripts and tensors together: its total and its limit.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tide {

/// Makes take_memory refuse allocations that would raise the total above this limit.
void limit_memory(size_t bytes);

/// The limit; 0 if there is none.
size_t memory_limit();

/// For error messages: ", memory limit 512.0 MB, taken 500.0 MB"; empty if there is no limit.
std::string memory_limit_text();

/// Counts bytes that are about to be allocated; if that would exceed the limit, counts nothing and
/// returns false.
bool take_memory(size_t bytes);

/// Counts bytes regardless of the limit.
void count_memory(size_t bytes);

/// Uncounts bytes.
void return_memory(size_t bytes);

/// Sets the function with which `require_memory` frees unused memory.
void set_make_room(std::function<void()> make_room);

/// Counts bytes about to be allocated; frees memory if they exceed the limit. Throws MemoryError.
void require_memory(size_t bytes);

/// Counts bytes for its lifetime, for memory that belongs to neither arrays nor Lua.
class CountedMemory {
 public:
  CountedMemory() = default;
  /// Throws MemoryError.
  explicit CountedMemory(size_t bytes) { add(bytes); }
  ~CountedMemory() { return_memory(bytes_); }
  CountedMemory(const CountedMemory&) = delete;
  CountedMemory& operator=(const CountedMemory&) = delete;
  /// Counts more. Throws MemoryError.
  void add(size_t bytes);

 private:
  size_t bytes_ = 0;
};

/// Whether the process uses more than the limit plus 96 MB for its own needs. Small objects, such
/// as nodes of autograd graphs, are not counted individually: this bounds them.
bool exceeds_memory_limit();

}  // namespace tide
