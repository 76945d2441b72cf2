// The derivatives of digamma, computed from zeta.
#include "runtime/ops/elementwise/polygamma.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/types/dtype.h"

namespace tide {
namespace {

/// Coefficients of the n-th derivative of cot(pi x) as a polynomial in c = cot(pi x), whose own
/// derivative is -pi (1 + c^2).
std::vector<double> cotangent_derivative(int64_t n) {
  std::vector<double> p = {0, 1};
  for (int64_t i = 0; i < n; ++i) {
    std::vector<double> next(p.size() + 1);
    for (size_t k = 1; k < p.size(); ++k) {
      const double term = -std::numbers::pi * static_cast<double>(k) * p[k];
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
  const Tensor fraction = x - round(x);
  const Tensor cotangent = reciprocal(tan(where(below, fraction, 0.25) * std::numbers::pi));
  const std::vector<double> p = cotangent_derivative(n);
  Tensor mirrored = cotangent * p.back();
  for (size_t k = p.size() - 1; k-- > 1;) mirrored = (mirrored + p[k]) * cotangent;
  mirrored = (mirrored + p[0]) * std::numbers::pi;
  return where(below, positive * (n % 2 ? -1.0 : 1.0) - mirrored, positive);
}

}  // namespace

Tensor polygamma(int64_t n, const Tensor& input) {
  check_between("polygamma", "n", n, 0, 100);
  if (n == 0) return digamma(input);
  if (n == 1) return trigamma(input);
  const Tensor x = convert(input, floating_type(input.dtype()));
  Tensor y;
  {
    GradientMode off(false);
    y = convert(polygamma_wide(n, convert(x, DType::f64)), x.dtype());
  }
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "polygamma", {x}, false,
                [n, x = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  return {call.dy * polygamma(n + 1, x.get())};
                });
  }
  return y;
}

Tensor polygamma_of(const Tensor& x, int64_t n) { return polygamma(n, x); }

}  // namespace tide
