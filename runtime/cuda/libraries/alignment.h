// What addresses and strides are aligned to: plans may depend on it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tide::cuda {

/// More than this is not looked at: what an address is aligned to beyond its offset must not decide
/// bits.
constexpr int64_t kMostAlignment = 16;

/// The largest power of two up to kMostAlignment that divides the number; of 0, all do.
inline int64_t alignment(int64_t number) {
  return number ? std::min(number & -number, kMostAlignment) : kMostAlignment;
}
inline int64_t alignment(const void* address) {
  return alignment(reinterpret_cast<int64_t>(address));
}

}  // namespace tide::cuda
