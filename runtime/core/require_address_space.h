// A check before libraries run that end the process when they get no memory.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace tide {

/// Whether the process can have so many more bytes of address space.
inline bool has_room(size_t bytes) {
  void* capacity =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return capacity != MAP_FAILED && munmap(capacity, bytes) == 0;
}

/// Throws std::bad_alloc if it cannot.
inline void require_address_space(size_t bytes) {
  if (!has_room(bytes)) throw std::bad_alloc();
}

}  // namespace tide
