// The operands of the gradients of definitions: see runtime/ir/definitions/op_definition.h.
#pragma once

#include <cmath>

#include "runtime/ops/elementwise/elementwise.h"

namespace tide {

/// The arguments of an op (if needed; numbers always), its result and the result's gradient.
struct Operands {
  TensorOrNumber a = 0, b = 0, c = 0, d = 0;
  Tensor y, dy;
};

/// The operands of an op on one tensor; its numbers are passed separately.
struct UnaryOperands {
  const Tensor& x;
  const Tensor& y;
  const Tensor& dy;
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
