// Memory that a thread keeps between calls, so that the warm path allocates nothing.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace tide {

/// A block that only grows. Meant to be thread_local.
class Scratch {
 public:
  /// At least `count` elements of T, aligned to 64 bytes, with undefined contents. Valid until the
  /// next call.
  template <class T>
  T* get(size_t count) {
    if (count * sizeof(T) > bytes_) grow(count * sizeof(T));
    return reinterpret_cast<T*>(block_.get());
  }

 private:
  static constexpr size_t kHugePage = 2u << 20;
  struct Free {
    void operator()(void* block) const { std::free(block); }
  };
  void grow(size_t bytes) {
    bytes_ = 0;
    block_.reset();
    // Large blocks use huge pages, because walks with long strides would always miss the TLB.
    const size_t page = bytes < kHugePage ? 4096 : kHugePage;
    const size_t rounded = (bytes + page - 1) / page * page;
    block_.reset(static_cast<std::byte*>(std::aligned_alloc(page, rounded)));
    if (!block_) throw std::bad_alloc();
    if (page == kHugePage) madvise(block_.get(), rounded, MADV_HUGEPAGE);
    bytes_ = rounded;
  }

  std::unique_ptr<std::byte, Free> block_;
  size_t bytes_ = 0;
};

}  // namespace tide
