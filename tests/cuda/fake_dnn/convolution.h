// The convolutions of the stand-in for cuDNN, and what a plan is made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/cuda/fake/numbers.h"

namespace fake {

enum class Pass { forward, data, filter };

struct DnnArray {
  Format format;
  std::array<int64_t, 4> sizes, strides;
  int64_t alignment, name;
  bool is_virtual = false;   ///< made on the way, not stored
  bool is_by_value = false;  ///< a number of the host's

  /// Elements between the first and the last, both included.
  size_t capacity() const;
};

/// The four indices of an element.
using Place = std::array<int64_t, 4>;

template <class Visit>
void for_places(const DnnArray& array, const Visit& visit) {
  const auto& n = array.sizes;
  Place p;
  for (p[0] = 0; p[0] < n[0]; ++p[0])
    for (p[1] = 0; p[1] < n[1]; ++p[1])
      for (p[2] = 0; p[2] < n[2]; ++p[2])
        for (p[3] = 0; p[3] < n[3]; ++p[3]) visit(p);
}

struct DnnConvolution {
  Pass pass;
  DnnArray x, weight, y;
  std::array<int64_t, 2> stride, padding, dilation;

  int64_t groups() const { return x.sizes[1] / weight.sizes[1]; }
  /// Whether the sizes fit each other.
  bool fits() const;
  /// Computes the array that the pass is for, by plain loops whose sums are kept in double.
  /// `tf32`: factors are rounded. Each array is found by its address.
  void compute(const void* x_data, const void* weight_data, const void* y_data, bool tf32) const;
};

}  // namespace fake
