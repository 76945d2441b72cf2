// A mapping that is given up bit by bit when `new` has nothing else.
#include "runtime/core/reserve.h"

#include <sys/mman.h>

#include <cstddef>
#include <mutex>
#include <new>

namespace tide {
namespace {

/// Enough to note of all that a full queue holds why it failed. Never touched.
constexpr size_t kBytes = 16u << 20;
/// What is given up at once: other threads may be faster in taking it.
constexpr size_t kSlice = 64u << 10;

/// A mapping, given up slice by slice from its end.
struct Reserve {
  std::mutex mutex;
  bool is_kept = false;
  char* start = nullptr;
  size_t left = 0;
};

Reserve reserve;

constinit thread_local bool may_use = false;

/// The handler of a failing `new`, which tries again once this returns.
void give_up_slice() {
  if (!may_use) throw std::bad_alloc();
  std::lock_guard lock(reserve.mutex);
  if (reserve.left == 0) throw std::bad_alloc();
  reserve.left -= kSlice;
  munmap(reserve.start + reserve.left, kSlice);
}

}  // namespace

void keep_reserve() {
  reserve.is_kept = true;
  std::set_new_handler(give_up_slice);
  refill_reserve();
}

void refill_reserve() {
  std::lock_guard lock(reserve.mutex);
  if (!reserve.is_kept || reserve.left == kBytes) return;
  void* whole = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (whole == MAP_FAILED) return;
  if (reserve.left > 0) munmap(reserve.start, reserve.left);
  reserve.start = static_cast<char*>(whole);
  reserve.left = kBytes;
}

ReserveUse::ReserveUse(bool allowed) : before_(may_use) { may_use = allowed; }
ReserveUse::~ReserveUse() { may_use = before_; }

}  // namespace tide
