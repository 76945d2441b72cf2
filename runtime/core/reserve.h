// Memory that is kept back for what has to be done when there is no other, and looking for room.
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

/// Throws std::bad_alloc if it cannot: before libraries run that end the process when they get no
/// memory.
inline void require_address_space(size_t bytes) {
  if (!has_room(bytes)) throw std::bad_alloc();
}

/// From now on some memory is kept back: where threads may use it, `new` takes it when there is no
/// other. For programs alone, as there is one handler of a failing `new` in a process.
void keep_reserve();

/// Makes the reserve whole again if there is plenty of memory: before work that may need it.
void refill_reserve();

/// While it lives, the thread may use the reserve, or may not.
class ReserveUse {
 public:
  explicit ReserveUse(bool allowed);
  ~ReserveUse();
  ReserveUse(const ReserveUse&) = delete;

 private:
  const bool before_;
};

}  // namespace tide
