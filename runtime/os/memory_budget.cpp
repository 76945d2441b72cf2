// A process-wide total, counted by every thread.
#include "runtime/os/memory_budget.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <utility>

#include "runtime/types/error.h"
#include "runtime/types/size_text.h"

namespace tide {
namespace {

std::atomic<size_t> limit{0}, taken{0};

/// Allowance beyond the limit for compiled kernels, their compiler and the workspaces of ops.
constexpr size_t kOwnNeeds = size_t{96} << 20;

std::function<void()>& make_room() {
  static std::function<void()> function;
  return function;
}

/// The process's resident bytes that are not file-backed; 0 if the kernel does not report them.
size_t resident_bytes() {
  static const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char text[128];
  const ssize_t length = pread(file, text, sizeof text - 1, 0);
  if (length <= 0) return 0;
  text[length] = '\0';
  size_t resident = 0, of_files = 0;
  if (std::sscanf(text, "%*u %zu %zu", &resident, &of_files) != 2) return 0;
  return (resident - of_files) * page;
}

}  // namespace

void limit_memory(size_t bytes) {
  limit = bytes;
  resident_bytes();  // opens its file while that is still allowed
}

size_t memory_limit() { return limit.load(std::memory_order_relaxed); }

std::string memory_limit_text() {
  const size_t most = memory_limit();
  return most ? ", memory limit " + size_text(most) + ", taken " + size_text(taken) : std::string();
}

bool take_memory(size_t bytes) {
  const size_t most = memory_limit();
  const size_t before = taken.fetch_add(bytes, std::memory_order_relaxed);
  if (!most || (before + bytes <= most && before + bytes >= before)) return true;
  return_memory(bytes);
  return false;
}

void count_memory(size_t bytes) { taken.fetch_add(bytes, std::memory_order_relaxed); }

void return_memory(size_t bytes) { taken.fetch_sub(bytes, std::memory_order_relaxed); }

void set_make_room(std::function<void()> function) { make_room() = std::move(function); }

void require_memory(size_t bytes) {
  if (take_memory(bytes)) return;
  if (make_room()) make_room()();
  if (!take_memory(bytes))
    throw MemoryError("out of memory on the host: asked for " + size_text(bytes) +
                      memory_limit_text());
}

void CountedMemory::add(size_t bytes) {
  require_memory(bytes);
  bytes_ += bytes;
}

bool exceeds_memory_limit() {
  const size_t most = memory_limit();
  return most && resident_bytes() > most + kOwnNeeds;
}

}  // namespace tide
