// The operands of the gradients of definitions: see runtime/ir/definitions/op_gradient.h.
#pragma once

#include <cmath>

#include "runtime/ir/definitions/op_gradient.h"
#include "runtime/ops/elementwise/elementwise.h"

namespace tide {

template <>
struct Operands<Tensor> {
  TensorOrNumber a = 0, b = 0, c = 0, d = 0;
  Tensor y, dy;
};

// Properties of operands, any of which may be a number.
inline TensorOrNumber not_positive(const TensorOrNumber& x) {
  if (x.tensor.defined()) return le(x, 0.0);
  return Number(x.number.as_double() <= 0);
}
inline TensorOrNumber not_a_number(const TensorOrNumber& x) {
  if (x.tensor.defined()) return isnan(x.tensor);
  return Number(std::isnan(x.number.as_double()));
}
inline TensorOrNumber squared(const TensorOrNumber& x) {
  if (x.tensor.defined()) return square(x.tensor);
  return Number(x.number.as_double() * x.number.as_double());
}

}  // namespace tide
