// Convolutions of the fake cuDNN, and the arrays of its plans.
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
  bool is_virtual = false;   ///< intermediate, not stored
  bool is_by_value = false;  ///< a host scalar

  /// The number of elements from the first to the last, inclusive.
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
  /// Whether the sizes are consistent.
  bool fits() const;
  /// Computes the result of the pass by plain loops with sums in double. `tf32`: rounds factors.
  void compute(const void* x_data, const void* weight_data, const void* y_data, bool tf32) const;
};

}  // namespace fake
