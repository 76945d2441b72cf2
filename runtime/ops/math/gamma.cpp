// Functions around the gamma function.
#include "runtime/ops/math/gamma.h"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/math/operands.h"
#include "runtime/ops/math/record_pair.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Sums a gradient over broadcast dimensions.
Tensor sum_broadcast(const Tensor& gradient, const Shape& shape) {
  return gradient.shape() == shape ? gradient : sum_to_size(gradient, shape);
}

/// The derivative of P by x, x^(a - 1) exp(-x) / gamma(a), in f64. From a = 16 on by Stirling's
/// formula, as in incomplete_gamma.h.
Tensor gamma_density(const Tensor& order, const Tensor& point) {
  constexpr double kTwoPi = 2 * std::numbers::pi;
  const Tensor wide_a = convert(order, DType::f64), wide_x = convert(point, DType::f64);
  const Tensor large = logical_and(ge(wide_a, 16), gt(wide_x, 0));
  Tensor a = where(large, 1, wide_a), x = where(large, 1, wide_x);
  const Tensor plain = exp(xlogy(a - 1, x) - x - lgamma(a));
  a = where(large, wide_a, 16), x = where(large, wide_x, 16);
  const Tensor excess = (x - a) / a, inverse = reciprocal(square(a));
  const Tensor logarithm = where(lt(abs(excess), 0.3), log1p(excess), log(x / a));
  const Tensor correction = (1.0 / 12 - inverse * (1.0 / 360 - inverse * (1.0 / 1260))) / a;
  const Tensor stirling = exp(a * (logarithm - excess) - correction) * sqrt(a * (1 / kTwoPi)) / x;
  return where(large, stirling, plain);
}

/// P (sign 1) or Q (sign -1) of (a, x), and its derivative by x.
Tensor incomplete_gamma(PairFunction function, const char* name, double sign, const Tensor& a,
                        const Tensor& x) {
  const DType type = common_type(name, a, x);
  if (!is_floating(type)) refuse_types(name, "expected a floating type", a, x);
  const Tensor y = record_pair(function, name, type, a, x);
  if (needs_grad_fn(a) || needs_grad_fn(x)) {
    set_grad_fn(y, name, {a, x}, false,
                [=, a = Saved(a), x = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  if (call.needed[0])
                    throw Error(std::string(name) +
                                ": its derivative by the first argument is not available");
                  const Tensor order = a.get(), point = x.get();
                  const Tensor slope = call.dy * (gamma_density(order, point) * sign);
                  return {Tensor(), sum_broadcast(convert(slope, point.dtype()), point.shape())};
                });
  }
  return y;
}

}  // namespace

Tensor igamma(const Tensor& a, const Tensor& x) {
  return incomplete_gamma(PairFunction::igamma, "igamma", 1, a, x);
}

Tensor igammac(const Tensor& a, const Tensor& x) {
  return incomplete_gamma(PairFunction::igammac, "igammac", -1, a, x);
}

Tensor multigammaln(const Tensor& input, int64_t p) {
  constexpr int64_t kMost = 4096;
  check_between("multigammaln", "p", p, 1, kMost);
  const Tensor x = floating(input);
  const auto size = static_cast<double>(p);
  const Tensor halves = arange(0.0, size / 2, 0.5, {.dtype = x.dtype(), .device = x.device()});
  return sum(lgamma(unsqueeze(x, Dim{-1}) - halves), Dims{-1}) +
         size * (size - 1) / 4 * std::log(std::numbers::pi);
}

}  // namespace tide
