// Emergency memory for handling out-of-memory errors, and checks for available address space.
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

/// Sets memory aside: threads that may use it get it from `new` when no other is left. Only for
/// programs, because a process has only one new-handler.
void keep_reserve();

/// Refills the reserve if plenty of memory is available: called before work that may need it.
void refill_reserve();

/// For its lifetime, allows or forbids this thread to use the reserve.
class ReserveUse {
 public:
  explicit ReserveUse(bool allowed);
  ~ReserveUse();
  ReserveUse(const ReserveUse&) = delete;

 private:
  const bool before_;
};

}  // namespace tide
