// Checks for available address space.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace tide {

/// Whether the process can map this many more bytes of address space.
inline bool has_room(size_t bytes) {
  void* capacity =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return capacity != MAP_FAILED && munmap(capacity, bytes) == 0;
}

/// Throws std::bad_alloc if it cannot. Called before libraries that abort the process when they run
/// out of memory.
inline void require_address_space(size_t bytes) {
  if (!has_room(bytes)) throw std::bad_alloc();
}

}  // namespace tide
