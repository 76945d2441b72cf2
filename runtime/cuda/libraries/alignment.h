// The alignment of addresses and strides, on which plans may depend.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tide::cuda {

/// Higher alignments are ignored, because results must not depend on where the allocator puts a
/// block.
constexpr int64_t kMostAlignment = 16;

/// The largest power of two up to kMostAlignment that divides the number.
inline int64_t alignment(int64_t number) {
  return number ? std::min(number & -number, kMostAlignment) : kMostAlignment;
}
inline int64_t alignment(const void* address) {
  return alignment(reinterpret_cast<int64_t>(address));
}

}  // namespace tide::cuda
