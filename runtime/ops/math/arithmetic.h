// Arithmetic that is composed of elementwise ops.
#pragma once

#include <optional>
#include <tuple>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// x itself, of any type but bool; other - alpha * x.
Tensor positive(const Tensor& x);
Tensor rsub(const Tensor& x, const TensorOrNumber& other, std::optional<Number> alpha = {});
/// 0 below 0, `values` at 0, 1 above.
Tensor heaviside(const Tensor& x, const Tensor& values);
/// nan, infinity and -infinity replaced: by default by 0 and the largest and smallest finite value.
Tensor nan_to_num(const Tensor& x, std::optional<double> nan = {},
                  std::optional<double> posinf = {}, std::optional<double> neginf = {});
/// pow in f64.
Tensor float_power(const TensorOrNumber& a, const TensorOrNumber& b);
/// x * 2^other.
Tensor ldexp(const Tensor& x, const Tensor& other);
/// The mantissa with 0.5 <= |mantissa| < 1 and the i32 exponent with x = mantissa * 2^exponent; of
/// 0, infinities and nan, themselves and 0.
std::tuple<Tensor, Tensor> frexp(const Tensor& x);

}  // namespace tide
