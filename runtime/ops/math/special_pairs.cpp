// Functions of pairs that loop: gcd, lcm, incomplete gamma functions, nextafter.
#include <numbers>

#include "runtime/autograd/autograd.h"
#include "runtime/ir/pair_function.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/math/special.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

Tensor record_pair(PairFunction function, const char* name, DType type, const Tensor& a,
                   const Tensor& b) {
  const Shape shape = broadcast(name, a.shape(), b.shape());
  const auto operand = [&](const Tensor& x, const Tensor& other) {
    // As for all ops, a 0-d cpu tensor can be combined with any device.
    const Tensor here = x.rank() == 0 && x.device() != other.device() && x.device() == Device{}
                            ? record_transfer(x, other.device())
                            : x;
    return broadcast_to(convert(here, type), shape);
  };
  const Tensor inputs[] = {operand(a, b), operand(b, a)};
  const ComputeResult result{shape, type};
  const auto attributes = pack(PairAttributes{function});
  return record_compute(ComputeOp::pair_function, name, inputs, {&result, 1}, attributes)[0];
}

Tensor whole(PairFunction function, const char* name, const Tensor& a, const Tensor& b) {
  const DType type = common_type(name, a, b);
  if (!is_integer(type)) refuse_types(name, "expected integers", a, b);
  return record_pair(function, name, type, a, b);
}

/// Sums a gradient over broadcast dimensions.
Tensor sum_back(const Tensor& gradient, const Shape& shape) {
  return gradient.shape() == shape ? gradient : sum_to_size(gradient, shape);
}

/// The derivative of P by x, x^(a - 1) exp(-x) / gamma(a), in f64. From a = 16 on by Stirling's
/// formula, as in incomplete_gamma.h.
Tensor gamma_density(const Tensor& order, const Tensor& place) {
  constexpr double kTwoPi = 2 * std::numbers::pi;
  const Tensor given_a = convert(order, DType::f64), given_x = convert(place, DType::f64);
  const Tensor large = logical_and(ge(given_a, 16), gt(given_x, 0));
  Tensor a = where(large, 1, given_a), x = where(large, 1, given_x);
  const Tensor plain = exp(xlogy(a - 1, x) - x - lgamma(a));
  a = where(large, given_a, 16), x = where(large, given_x, 16);
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
                  const Tensor order = a.get(), place = x.get();
                  const Tensor slope = call.dy * (gamma_density(order, place) * sign);
                  return {Tensor(), sum_back(convert(slope, place.dtype()), place.shape())};
                });
  }
  return y;
}

}  // namespace

Tensor gcd(const Tensor& a, const Tensor& b) { return whole(PairFunction::gcd, "gcd", a, b); }

Tensor lcm(const Tensor& a, const Tensor& b) { return whole(PairFunction::lcm, "lcm", a, b); }

Tensor igamma(const Tensor& a, const Tensor& x) {
  return incomplete_gamma(PairFunction::igamma, "igamma", 1, a, x);
}

Tensor igammac(const Tensor& a, const Tensor& x) {
  return incomplete_gamma(PairFunction::igammac, "igammac", -1, a, x);
}

Tensor nextafter(const Tensor& a, const Tensor& b) {
  const DType type = common_type("nextafter", a, b);
  if (!is_floating(type)) refuse_types("nextafter", "expected floating types", a, b);
  return record_pair(PairFunction::nextafter, "nextafter", type, a, b);
}

}  // namespace tide
