// A mapping that is released slice by slice when `new` fails.
#include "runtime/os/reserve.h"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>

namespace tide {
namespace {

/// Enough to record the errors of a full queue. Never touched.
constexpr size_t kBytes = 16u << 20;
/// Released per failure, with a margin: other threads may compete for it.
constexpr size_t kSlice = 64u << 10;
constexpr size_t kSlices = kBytes / kSlice;

struct Reserve {
  std::mutex mutex;
  std::array<char*, kSlices> slices{};
  std::atomic<size_t> count{kSlices};  ///< of slices that are still mapped
};

Reserve reserve;

constinit thread_local bool may_use = false;

char* map(size_t bytes) {
  void* start = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<char*>(start);
}

/// The new-handler; `new` tries again when it returns.
void give_up_slice() {
  if (!may_use) throw std::bad_alloc();
  std::lock_guard lock(reserve.mutex);
  if (reserve.count == 0) throw std::bad_alloc();
  munmap(reserve.slices[--reserve.count], kSlice);
}

}  // namespace

void keep_reserve() {
  char* whole = map(kBytes);
  if (!whole) return;
  for (size_t i = 0; i < kSlices; ++i) reserve.slices[i] = whole + i * kSlice;
  std::set_new_handler(give_up_slice);
}

void refill_reserve() {
  if (reserve.count.load(std::memory_order_relaxed) == kSlices) return;
  std::lock_guard lock(reserve.mutex);
  if (!has_room(4 * kBytes)) return;  // leave memory for others
  while (reserve.count < kSlices && (reserve.slices[reserve.count] = map(kSlice))) ++reserve.count;
}

ReserveUse::ReserveUse(bool allowed) : before_(may_use) { may_use = allowed; }
ReserveUse::~ReserveUse() { may_use = before_; }

}  // namespace tide
