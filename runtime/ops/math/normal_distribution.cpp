// The normal distribution function, its logarithm and its inverse.
#include "runtime/ops/math/normal_distribution.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/math/operands.h"
#include "runtime/tensor/record.h"
#include "runtime/types/dtype.h"

namespace tide {
namespace {

/// A coefficient of the polynomials of ndtri: around the median, and in the tail near it or far.
struct QuantileCoefficient {
  double middle, near, far;
};

/// Wichura's rational functions (algorithm AS 241, PPND16, 1988), the highest power first.
constexpr QuantileCoefficient kQuantileNumerator[] = {
    {2.5090809287301226727e+3, 7.74545014278341407640e-4, 2.01033439929228813265e-7},
    {3.3430575583588128105e+4, 2.27238449892691845833e-2, 2.71155556874348757815e-5},
    {6.7265770927008700853e+4, 2.41780725177450611770e-1, 1.24266094738807843860e-3},
    {4.5921953931549871457e+4, 1.27045825245236838258e+0, 2.65321895265761230930e-2},
    {1.3731693765509461125e+4, 3.64784832476320460504e+0, 2.96560571828504891230e-1},
    {1.9715909503065514427e+3, 5.76949722146069140550e+0, 1.78482653991729133580e+0},
    {1.3314166789178437745e+2, 4.63033784615654529590e+0, 5.46378491116411436990e+0},
    {3.3871328727963666080e+0, 1.42343711074968357734e+0, 6.65790464350110377720e+0}};
constexpr QuantileCoefficient kQuantileDenominator[] = {
    {5.2264952788528545610e+3, 1.05075007164441684324e-9, 2.04426310338993978564e-15},
    {2.8729085735721942674e+4, 5.47593808499534494600e-4, 1.42151175831644588870e-7},
    {3.9307895800092710610e+4, 1.51986665636164571966e-2, 1.84631831751005468180e-5},
    {2.1213794301586595867e+4, 1.48103976427480074590e-1, 7.86869131145613259100e-4},
    {5.3941960214247511077e+3, 6.89767334985100004550e-1, 1.48753612908506148525e-2},
    {6.8718700749205790830e+2, 1.67638483018380384940e+0, 1.36929880922735805310e-1},
    {4.2313330701600911252e+1, 2.05319162663775882187e+0, 5.99832206555887937690e-1},
    {1, 1, 1}};

}  // namespace

Tensor ndtr(const Tensor& x) { return erfc(floating(x) * -std::numbers::sqrt2 * 0.5) * 0.5; }

Tensor log_ndtr(const Tensor& input) {
  const Tensor x = floating(input);
  const double root = std::numbers::sqrt2 * 0.5;
  const Tensor low = lt(x, -1);
  const Tensor tail = where(low, x, -1.0), body = where(low, 0.0, x);
  return where(low, log(erfcx(tail * -root) * 0.5) - square(tail) * 0.5,
               log1p(erfc(body * root) * -0.5));
}

Tensor ndtri(const Tensor& input) {
  const Tensor p = floating(input);
  Tensor z;
  {
    GradientMode off(false);
    const Tensor wide = convert(p, DType::f64);
    const Tensor inside = logical_and(gt(wide, 0), lt(wide, 1));
    const auto pick = [](const Tensor& condition, const TensorOrNumber& a,
                         const TensorOrNumber& b) {
      return record_map(ElementwiseOp::where, "ndtri", DType::f64, DType::f64, {condition, a, b});
    };
    const Tensor gap = wide - 0.5, upper = gt(gap, 0), middle = le(abs(gap), 0.425);
    const Tensor tail_area = pick(inside, pick(upper, 1 - wide, wide), 0.25);
    const Tensor root = sqrt(-log(tail_area)), far = gt(root, 5.0);
    const Tensor x = pick(middle, 0.180625 - square(gap), pick(far, root - 5.0, root - 1.6));
    const auto polynomial = [&](std::span<const QuantileCoefficient> coefficients) {
      Tensor sum;
      for (const QuantileCoefficient& c : coefficients) {
        const Tensor coefficient = pick(middle, c.middle, pick(far, c.far, c.near));
        sum = sum.defined() ? sum * x + coefficient : coefficient;
      }
      return sum;
    };
    const Tensor quantile = polynomial(kQuantileNumerator) / polynomial(kQuantileDenominator) *
                            pick(middle, gap, pick(upper, 1.0, -1.0));
    const Tensor ends =
        where(eq(wide, 0), -kInfinity,
              where(eq(wide, 1), kInfinity, std::numeric_limits<double>::quiet_NaN()));
    z = convert(where(inside, quantile, ends), p.dtype());
  }
  if (needs_grad_fn(p)) {
    set_grad_fn(z, "ndtri", {p}, true, [](const GradientCall& call) -> std::vector<Tensor> {
      return {call.dy * exp(square(call.y) * 0.5) * std::sqrt(2 * std::numbers::pi)};
    });
  }
  return z;
}

}  // namespace tide
