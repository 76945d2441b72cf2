// Functions that are composed of elementwise ones.
#pragma once

#include <optional>
#include <tuple>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// log(p / (1 - p)), p first clamped to eps..1 - eps.
Tensor logit(const Tensor& p, std::optional<double> eps = {});
/// sin(pi x) / (pi x).
Tensor sinc(const Tensor& x);
/// sin(x) / x, 1 at 0.
Tensor spherical_bessel_j0(const Tensor& x);
/// x in radians and in degrees.
Tensor deg2rad(const Tensor& x);
Tensor rad2deg(const Tensor& x);
/// log2(2^a + 2^b) without overflow.
Tensor logaddexp2(const Tensor& a, const Tensor& b);
/// 0 below 0, `values` at 0, 1 above.
Tensor heaviside(const Tensor& x, const Tensor& values);
/// nan, infinity and -infinity replaced: by default by 0 and the largest and smallest finite value.
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
/// Whether a and b are within atol + rtol * |b|, elementwise; and for all elements, which waits.
Tensor isclose(const Tensor& a, const Tensor& b, std::optional<double> rtol = {},
               std::optional<double> atol = {}, bool equal_nan = false);
bool allclose(const Tensor& a, const Tensor& b, std::optional<double> rtol = {},
              std::optional<double> atol = {}, bool equal_nan = false);

/// x itself, of any type but bool; other - alpha * x.
Tensor positive(const Tensor& x);
Tensor rsub(const Tensor& x, const TensorOrNumber& other, std::optional<Number> alpha = {});
/// Properties of tensors. is_nonzero waits.
Tensor isreal(const Tensor& x);
bool is_nonzero(const Tensor& x);
bool is_same_size(const Tensor& x, const Tensor& other);
bool is_signed(const Tensor& x);
bool is_complex(const Tensor& x);
/// The mantissa with 0.5 <= |mantissa| < 1 and the i32 exponent with x = mantissa * 2^exponent; of
/// 0, infinities and nan, themselves and 0.
std::tuple<Tensor, Tensor> frexp(const Tensor& x);

/// -x log(x), 0 at 0, -infinity below.
Tensor entr(const Tensor& x);
/// a log(1 + b), 0 where a is 0 unless b is nan.
Tensor xlog1py(const TensorOrNumber& a, const TensorOrNumber& b);
/// The cumulative distribution function of the normal distribution, its logarithm, and its inverse.
Tensor ndtr(const Tensor& x);
Tensor log_ndtr(const Tensor& x);
Tensor ndtri(const Tensor& p);
/// The regularized incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x). No gradient for a.
Tensor igamma(const Tensor& a, const Tensor& x);
Tensor igammac(const Tensor& a, const Tensor& x);
/// Of integers; not negative.
Tensor gcd(const Tensor& a, const Tensor& b);
Tensor lcm(const Tensor& a, const Tensor& b);
/// The next representable value after a towards b.
Tensor nextafter(const Tensor& a, const Tensor& b);

/// Orthogonal polynomials of degree n at x, by their recurrences. n is truncated to an integer; for
/// negative n the value is 0. Degrees in a tensor are read, which waits. Throws Error for degrees
/// above 10000.
Tensor chebyshev_polynomial_t(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor chebyshev_polynomial_u(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor chebyshev_polynomial_v(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor chebyshev_polynomial_w(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor shifted_chebyshev_polynomial_t(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor shifted_chebyshev_polynomial_u(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor shifted_chebyshev_polynomial_v(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor shifted_chebyshev_polynomial_w(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor hermite_polynomial_h(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor hermite_polynomial_he(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor laguerre_polynomial_l(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor legendre_polynomial_p(const TensorOrNumber& x, const TensorOrNumber& n);

/// Airy's function Ai, in a floating type. Not differentiable.
Tensor airy_ai(const Tensor& x);

}  // namespace tide
