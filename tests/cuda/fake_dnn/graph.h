// Graphs of several operations in the fake cuDNN, run one after the other.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "runtime/cuda/libraries/dnn_api.h"
#include "tests/cuda/fake_dnn/convolution.h"

namespace fake {

/// A map, reduction, product or reshape of arrays with consistent sizes.
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

  /// The stored arrays.
  std::vector<DnnArray> stored() const;
  /// Computes in double, and rounds to the type of each array. `address` returns the memory of
  /// stored arrays.
  void compute(const std::function<const void*(const DnnArray&)>& address) const;
};

}  // namespace fake
