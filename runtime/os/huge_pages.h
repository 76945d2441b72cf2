// Memory of the host in huge pages, which take fewer page faults and misses of the TLB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>

namespace tide {

constexpr size_t kHugePage = size_t{2} << 20;

/// Asks for huge pages in memory that has not been written yet.
inline void use_huge_pages(void* memory, size_t bytes) { madvise(memory, bytes, MADV_HUGEPAGE); }

/// A block for std::free of `bytes`, rounded up to a multiple of `page`, its alignment; null if
/// memory runs out. Uses huge pages if `page` is kHugePage.
inline void* allocate_pages(size_t bytes, size_t page) {
  const size_t rounded = (bytes + page - 1) / page * page;
  void* const block = std::aligned_alloc(page, rounded);
  if (block && page == kHugePage) use_huge_pages(block, rounded);
  return block;
}

}  // namespace tide
