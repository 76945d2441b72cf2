// Memory that a thread keeps between calls, so that the warm path allocates nothing.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "runtime/os/huge_pages.h"

namespace tide {

/// A block that only grows. Meant to be thread_local.
class Workspace {
 public:
  /// At least `count` elements of T, aligned to 64 bytes, with undefined contents. Valid until the
  /// next call.
  template <class T>
  T* get(size_t count) {
    if (count * sizeof(T) > bytes_) grow(count * sizeof(T));
    return reinterpret_cast<T*>(block_.get());
  }

 private:
  struct Free {
    void operator()(void* block) const { std::free(block); }
  };
  void grow(size_t bytes) {
    bytes_ = 0;
    block_.reset();
    // Large blocks use huge pages, because walks with long strides would always miss the TLB.
    const size_t page = bytes < kHugePage ? 4096 : kHugePage;
    block_.reset(static_cast<std::byte*>(allocate_pages(bytes, page)));
    if (!block_) throw std::bad_alloc();
    bytes_ = (bytes + page - 1) / page * page;
  }

  std::unique_ptr<std::byte, Free> block_;
  size_t bytes_ = 0;
};

}  // namespace tide
