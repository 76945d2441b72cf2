// Walks over the points of a shape, following several arrays at once.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/types/shape.h"

namespace tide {

/// The offsets of N arrays at successive points of `shape`, last dimension fastest.
template <int N>
class StridedWalk {
 public:
  using Strides = std::array<const int64_t*, N>;

  /// Starts at the point with linear index `start`.
  StridedWalk(const Shape& shape, const Strides& strides, int64_t start)
      : shape_(shape), strides_(strides) {
    for (int d = shape.rank() - 1; d >= 0; --d) {
      index_[d] = start % shape[d];
      start /= shape[d];
      for (int i = 0; i < N; ++i) offset_[i] += index_[d] * strides[i][d];
    }
  }

  int64_t offset(int array) const { return offset_[array]; }

  void next() {
    for (int d = shape_.rank() - 1; d >= 0; --d) {
      for (int i = 0; i < N; ++i) offset_[i] += strides_[i][d];
      if (++index_[d] < shape_[d]) return;
      for (int i = 0; i < N; ++i) offset_[i] -= shape_[d] * strides_[i][d];
      index_[d] = 0;
    }
  }

 private:
  Shape shape_;
  Strides strides_;
  std::array<int64_t, kMaxDims> index_{};
  std::array<int64_t, N> offset_{};
};

}  // namespace tide
