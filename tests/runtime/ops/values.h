// Tensors from and to lists of numbers.
#pragma once

#include <vector>

#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/tensor/transfer.h"

namespace tide::test {

inline Tensor tensor(const std::vector<float>& values, const Shape& shape) {
  return record_constant(values.data(), shape, DType::f32, Device{});
}

inline Tensor positions(const std::vector<int64_t>& values, const Shape& shape) {
  return record_constant(values.data(), shape, DType::i64, Device{});
}

inline std::vector<double> values(const Tensor& x) {
  std::vector<double> result(static_cast<size_t>(x.numel()));
  convert(x, DType::f64).read(result.data(), "test");
  return result;
}

using Values = std::vector<double>;

}  // namespace tide::test
