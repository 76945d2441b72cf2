// Result types of ops with several operands.
#pragma once

#include "runtime/core/dtype.h"
#include "runtime/core/error.h"
#include "runtime/tensor/tensor.h"

namespace tide {

inline DType type_of(const TensorOrNumber& x) {
  return x.tensor.defined() ? x.tensor.dtype() : x.number.type();
}

inline Weight weight_of(const TensorOrNumber& x) {
  if (!x.tensor.defined()) return Weight::number;
  return x.tensor.rank() == 0 ? Weight::scalar : Weight::dimensioned;
}

/// The type that the operands promote to. Throws unless there is a tensor among them.
DType common_type(const char* name, const TensorOrNumber& a, const TensorOrNumber& b);
DType common_type(const char* name, const TensorOrNumber& a, const TensorOrNumber& b,
                  const TensorOrNumber& c);

/// Throws DTypeError unless the operand, if it is a number, fits an integer type whose elements it
/// takes part in as one of them: it does not wrap as operands of arithmetic do.
void check_element(const char* name, const TensorOrNumber& x, DType type);

/// The ends of a type: infinities of floating ones.
Number lowest(DType type);
Number highest(DType type);

/// Throw DTypeError naming both operands' types.
[[noreturn]] void refuse_types(const char* name, const char* why, const TensorOrNumber& a,
                               const TensorOrNumber& b);

}  // namespace tide
