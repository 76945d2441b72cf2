// A list of words that grows as fast as ops are recorded.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "runtime/types/shape.h"

namespace tide {

/// Capacity is reserved once per op, then words are appended without checks.
class WordList {
 public:
  /// Reserves capacity for `count` further words.
  void reserve_more(size_t count) {
    if (size_ + count > capacity_) grow(size_ + count);
  }
  void push(uint64_t word) { words_[size_++] = word; }
  void push(const int64_t* values, int count) {
    for (int i = 0; i < count; ++i) words_[size_++] = static_cast<uint64_t>(values[i]);
  }
  void clear() { size_ = 0; }
  std::span<const uint64_t> view() const { return {words_.get(), size_}; }

 private:
  void grow(size_t wanted) {
    capacity_ = 2 * wanted;
    std::unique_ptr<uint64_t[]> larger(new uint64_t[capacity_]);
    if (size_) std::memcpy(larger.get(), words_.get(), size_ * sizeof(uint64_t));
    words_ = std::move(larger);
  }

  std::unique_ptr<uint64_t[]> words_;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace tide
