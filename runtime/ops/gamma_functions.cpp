// Functions around the gamma function and the normal distribution.
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "runtime/core/default_dtype.h"
#include "runtime/core/error.h"
#include "runtime/ops/autograd.h"
#include "runtime/ops/creation.h"
#include "runtime/ops/elementwise.h"
#include "runtime/ops/elementwise_types.h"
#include "runtime/ops/special.h"

namespace tide {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor floating(const Tensor& x) { return convert(x, floating_type(x.dtype())); }

/// Coefficients of the n-th derivative of cot(pi x) as a polynomial in c = cot(pi x), whose own
/// derivative is -pi (1 + c^2).
std::vector<double> cotangent_derivative(int64_t n) {
  std::vector<double> p = {0, 1};
  for (int64_t i = 0; i < n; ++i) {
    std::vector<double> next(p.size() + 1);
    for (size_t k = 1; k < p.size(); ++k) {
      const double term = -kPi * static_cast<double>(k) * p[k];
      next[k - 1] += term;
      next[k + 1] += term;
    }
    p = std::move(next);
  }
  return p;
}

/// The n-th derivative of digamma for n >= 2, in f64. Below 0 by psi(1 - x) - psi(x) = pi cot(pi
/// x).
Tensor polygamma_wide(int64_t n, const Tensor& x) {
  const Tensor below = lt(x, 0);
  const double order = static_cast<double>(n);
  const double factor = (n % 2 ? 1 : -1) * std::tgamma(order + 1);
  const Tensor positive = zeta(order + 1, where(below, 1 - x, x)) * factor;
  const Tensor rest = x - round(x);
  const Tensor cotangent = reciprocal(tan(where(below, rest, 0.25) * kPi));
  const std::vector<double> p = cotangent_derivative(n);
  Tensor mirrored = cotangent * p.back();
  for (size_t k = p.size() - 1; k-- > 1;) mirrored = (mirrored + p[k]) * cotangent;
  mirrored = (mirrored + p[0]) * kPi;
  return where(below, positive * (n % 2 ? -1.0 : 1.0) - mirrored, positive);
}

/// z with log_ndtr(z) = logarithm, for what lies below the median (Abramowitz and Stegun 26.2.23,
/// then Newton's steps, which on the logarithm are safe far out in the tail).
Tensor lower_quantile(const Tensor& logarithm) {
  const Tensor t = sqrt(logarithm * -2.0);
  const Tensor above = (t * 0.010328 + 0.802853) * t + 2.515517;
  const Tensor under = ((t * 0.001308 + 0.189269) * t + 1.432788) * t + 1.0;
  Tensor z = above / under - t;
  for (int i = 0; i < 3; ++i) {
    const Tensor now = log_ndtr(z);
    const Tensor slope = exp(square(z) * -0.5 - now) * (1 / std::sqrt(2 * kPi));
    z = z - (now - logarithm) / slope;
  }
  return z;
}

}  // namespace

Tensor polygamma(int64_t n, const Tensor& input) {
  if (n < 0 || n > 100) throw Error("polygamma: n is from 0 to 100: got " + std::to_string(n));
  if (n == 0) return digamma(input);
  if (n == 1) return trigamma(input);
  const Tensor x = floating(input);
  Tensor y;
  {
    GradientMode off(false);
    y = convert(polygamma_wide(n, convert(x, DType::f64)), x.dtype());
  }
  if (needs_history(x)) {
    set_history(y, "polygamma", {x}, false,
                [n, x = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  return {call.dy * polygamma(n + 1, x.get())};
                });
  }
  return y;
}

Tensor polygamma_of(const Tensor& x, int64_t n) { return polygamma(n, x); }

Tensor entr(const Tensor& input) {
  const Tensor x = floating(input);
  Tensor y;
  {
    GradientMode off(false);
    y = where(lt(x, 0), -kInfinity, 0.0 - xlogy(x, x));
  }
  if (needs_history(x)) {
    set_history(y, "entr", {x}, false,
                [x = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  return {call.dy * (-1.0 - log(x.get()))};
                });
  }
  return y;
}

Tensor xlog1py(const TensorOrNumber& x, const TensorOrNumber& other) {
  const DType type = floating_type(common_type("xlog1py", x, other));
  const Device device = (x.tensor.defined() ? x : other).tensor.device();
  const auto operand = [&](const TensorOrNumber& given) {
    if (given.tensor.defined()) return given.tensor;
    return full({}, given.number, {.dtype = type, .device = device});
  };
  const Tensor a = operand(x), b = operand(other);
  // Where the result is 0 whatever the logarithm is, this must not reach the gradients.
  const Tensor flat = logical_and(eq(a, 0), logical_or(le(b, -1), eq(b, kInfinity)));
  return log1p(where(flat, 0.0, b)) * a;
}

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
    const Tensor upper = gt(wide, 0.5);
    const Tensor share = where(inside, where(upper, 1 - wide, wide), 0.25);
    // At the median the tail's start is 0 but for an error that the steps take away.
    const Tensor below = lower_quantile(log(share));
    const Tensor root = where(eq(share, 0.5), 0.0, where(upper, -below, below));
    const Tensor ends =
        where(eq(wide, 0), -kInfinity,
              where(eq(wide, 1), kInfinity, std::numeric_limits<double>::quiet_NaN()));
    z = convert(where(inside, root, ends), p.dtype());
  }
  if (needs_history(p)) {
    set_history(z, "ndtri", {p}, true, [](const GradientCall& call) -> std::vector<Tensor> {
      return {call.dy * exp(square(call.y) * 0.5) * std::sqrt(2 * kPi)};
    });
  }
  return z;
}

}  // namespace tide
