// Functions that are composed of elementwise ones.
#pragma once

#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// The x with erf(x) = y, infinite at -1 and 1.
Tensor erfinv(const Tensor& y);
/// log(p / (1 - p)), p first held to eps..1 - eps.
Tensor logit(const Tensor& p, std::optional<double> eps = {});
/// sin(pi x) / (pi x).
Tensor sinc(const Tensor& x);
/// x in radians and in degrees.
Tensor deg2rad(const Tensor& x);
Tensor rad2deg(const Tensor& x);
/// log(exp(a) + exp(b)) without overflow, and with base 2.
Tensor logaddexp(const Tensor& a, const Tensor& b);
Tensor logaddexp2(const Tensor& a, const Tensor& b);
/// 0 below 0, `values` at 0, 1 above.
Tensor heaviside(const Tensor& x, const Tensor& values);
/// nan, infinity and -infinity replaced: by 0 and the type's ends unless said otherwise.
Tensor nan_to_num(const Tensor& x, std::optional<double> nan = {},
                  std::optional<double> posinf = {}, std::optional<double> neginf = {});
/// Whether the sign of x is negative, also that of -0.
Tensor signbit(const Tensor& x);
Tensor isposinf(const Tensor& x);
Tensor isneginf(const Tensor& x);
/// pow in f64.
Tensor float_power(const TensorOrNumber& a, const TensorOrNumber& b);
/// x * 2^other.
Tensor ldexp(const Tensor& x, const Tensor& other);
/// log of the gamma function of dimension p.
Tensor multigammaln(const Tensor& x, int64_t p);
/// Whether a and b are within atol + rtol * |b|, elementwise; and of all elements. The latter
/// waits.
Tensor isclose(const Tensor& a, const Tensor& b, std::optional<double> rtol = {},
               std::optional<double> atol = {}, bool equal_nan = false);
bool allclose(const Tensor& a, const Tensor& b, std::optional<double> rtol = {},
              std::optional<double> atol = {}, bool equal_nan = false);

}  // namespace tide
