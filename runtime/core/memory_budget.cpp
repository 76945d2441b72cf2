// One sum for the process, counted by every thread.
#include "runtime/core/memory_budget.h"

#include <atomic>

#include "runtime/core/size_text.h"

namespace tide {
namespace {

std::atomic<size_t> limit{0}, taken{0};

}  // namespace

void limit_memory(size_t bytes) { limit = bytes; }

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

}  // namespace tide
