// Graphs of several operations in the stand-in for cuDNN, carried out one after the other.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "runtime/cuda/libraries/dnn_api.h"
#include "tests/cuda/fake_dnn/convolution.h"

namespace fake {

/// A map, reduction, product or reshape of arrays that fit each other.
struct DnnOperation {
  tide::cuda::dnn::Kind kind;
  tide::cuda::dnn::Map map{};
  tide::cuda::dnn::Reduction reduction{};
  size_t axis = 0;
  DnnArray x, y;
  std::optional<DnnArray> b, condition;

  bool fits() const;
};

struct DnnOperations {
  std::vector<DnnOperation> all;

  /// The arrays that are not made on the way.
  std::vector<DnnArray> stored() const;
  /// Numbers are kept in double, and rounded to the type of each array. `address` finds the stored
  /// ones.
  void compute(const std::function<const void*(const DnnArray&)>& address) const;
};

}  // namespace fake
