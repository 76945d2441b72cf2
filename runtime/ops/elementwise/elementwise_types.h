// Result types of ops with several operands.
#pragma once

#include "runtime/tensor/tensor.h"
#include "runtime/types/dtype.h"
#include "runtime/types/error.h"

namespace tide {

inline DType type_of(const TensorOrNumber& x) {
  return x.tensor.defined() ? x.tensor.dtype() : x.number.type();
}

inline Weight weight_of(const TensorOrNumber& x) {
  if (!x.tensor.defined()) return Weight::number;
  return x.tensor.rank() == 0 ? Weight::scalar : Weight::dimensioned;
}

/// The type that the operands promote to. Throws unless one is a tensor.
DType common_type(const char* name, const TensorOrNumber& a, const TensorOrNumber& b);
DType common_type(const char* name, const TensorOrNumber& a, const TensorOrNumber& b,
                  const TensorOrNumber& c);

/// Throws DTypeError if the operand is a number that does not fit the integer type `type`. For
/// numbers used as elements: unlike operands of arithmetic, they do not wrap.
void check_element(const char* name, const TensorOrNumber& x, DType type);

/// The lowest and highest value of a type: infinities for floating types.
Number lowest(DType type);
Number highest(DType type);

/// Throw DTypeError naming both operands' types.
[[noreturn]] void refuse_types(const char* name, const char* why, const TensorOrNumber& a,
                               const TensorOrNumber& b);

}  // namespace tide
