// Functions of math.h for scalars in loops with data-dependent exits, with the same bits on the
// host and in CUDA kernels.
#pragma once

#include "runtime/ir/math/host_and_device.h"
#include "runtime/ir/math/math_error.h"
#include "runtime/ir/math/math_exponential.h"
#include "runtime/ir/math/math_gamma.h"
#include "runtime/ir/math/math_logarithm.h"
#include "runtime/ir/math/reference_value.h"

namespace tide::number {

TIDE_HOST_AND_DEVICE inline double exp(double x) {
  return math::exp(reference::Value<double>(x)).number();
}
TIDE_HOST_AND_DEVICE inline double expm1(double x) {
  return math::expm1(reference::Value<double>(x)).number();
}
TIDE_HOST_AND_DEVICE inline double erfcx(double x) {
  return math::erfcx(reference::Value<double>(x)).number();
}
TIDE_HOST_AND_DEVICE inline double log(double x) {
  return math::log(reference::Value<double>(x)).number();
}
TIDE_HOST_AND_DEVICE inline double log1p(double x) {
  return math::log1p(reference::Value<double>(x)).number();
}
/// For x above 0: the bits of math::lgamma, which computes both branches.
TIDE_HOST_AND_DEVICE inline double lgamma(double x) {
  const reference::Value<double> value(x);
  if (x >= math::kStirlingFrom) return math::stirling_series(value).number();
  if (x >= math::kSeriesFrom && x <= math::kSeriesTo) {
    const auto [t, divisor] = math::near_one_or_two(value);
    return (math::lgamma_from_two(t) - math::log(divisor)).number();
  }
  const auto moved = math::stirling_series(value + value.constant(math::kStirlingFrom));
  return (moved - math::log(math::next_factors(value) * value)).number();
}

}  // namespace tide::number
