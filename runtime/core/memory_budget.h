// How much memory of the host scripts and tensors take together, and may take.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tide {

/// From now on take_memory refuses what would bring the sum above so many bytes.
void limit_memory(size_t bytes);

/// The limit; 0 if there is none.
size_t memory_limit();

/// What errors add about the limit: ", memory limit 512.0 MB, taken 500.0 MB"; empty without one.
std::string memory_limit_text();

/// Counts bytes that are about to be allocated; false, and nothing counted, if the limit is too
/// low.
bool take_memory(size_t bytes);

/// Counts bytes whatever the limit.
void count_memory(size_t bytes);

/// Takes back what was counted.
void return_memory(size_t bytes);

/// Sets what gives back memory that nobody uses, for `require_memory`.
void set_make_room(std::function<void()> make_room);

/// Counts bytes that are about to be allocated; makes room before it gives up. Throws MemoryError.
void require_memory(size_t bytes);

/// Bytes that count as long as it lives: of what is neither an array nor Lua's.
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

/// Whether the process holds more than the limit and 96 MB for its own needs. Small objects, such
/// as those of a graph for gradients, are not counted one by one: this is how they are bounded.
bool exceeds_memory_limit();

}  // namespace tide
