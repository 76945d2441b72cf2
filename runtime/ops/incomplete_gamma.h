// The incomplete gamma functions, with the same bits on the host and in CUDA kernels.
#pragma once

#include <cmath>
#include <limits>

#include "runtime/ops/number_math.h"

namespace tide {

constexpr double kGammaEpsilon = 0x1p-53;
constexpr int kMostGammaSteps = 200000;  ///< more than arguments up to 1e9 need

TIDE_HOST_AND_DEVICE inline double at_most_one(double x) { return x > 1 ? 1 : x; }

/// x^a exp(-x) / gamma(a + 1). For large a by Stirling's formula, where x^a and gamma(a + 1) would
/// lose the digits that are left of their quotient.
TIDE_HOST_AND_DEVICE inline double gamma_weight(double a, double x) {
  if (a < 10) return number::exp(a * number::log(x) - x - number::lgamma(a + 1));
  const double excess = (x - a) / a;
  const double exponent = a * (number::log1p(excess) - excess);
  const double inverse = 1 / (a * a);
  const double correction =
      (1.0 / 12 - inverse * (1.0 / 360 - inverse * (1.0 / 1260 - inverse / 1680))) / a;
  return number::exp(exponent - correction) / std::sqrt(2 * math::kPi * a);
}

/// P(a, x) by its power series (Abramowitz and Stegun 6.5.29), for x up to about a.
TIDE_HOST_AND_DEVICE inline double lower_gamma(double a, double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < kMostGammaSteps && term > sum * kGammaEpsilon; ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return at_most_one(sum * gamma_weight(a, x));
}

/// Q(a, x) by its continued fraction (6.5.31), evaluated by Lentz's method, for x above a.
TIDE_HOST_AND_DEVICE inline double upper_gamma(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, product = d;
  for (int k = 1; k < kMostGammaSteps; ++k) {
    const double numerator = -k * (k - a);
    b += 2;
    d = numerator * d + b;
    if (std::fabs(d) < kTiny) d = kTiny;
    c = b + numerator / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    const double factor = c * d;
    product *= factor;
    if (std::fabs(factor - 1) < 2 * kGammaEpsilon) break;
  }
  return at_most_one(product * a * gamma_weight(a, x));
}

/// P(a, x), or Q(a, x).
TIDE_HOST_AND_DEVICE inline double share_of_gamma(double a, double x, bool upper) {
  if (!(a >= 0) || !(x >= 0)) return std::numeric_limits<double>::quiet_NaN();
  if (a == 0) return x > 0 ? !upper : std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return upper;
  if (std::isinf(a)) return std::isinf(x) ? std::numeric_limits<double>::quiet_NaN() : upper;
  if (std::isinf(x)) return !upper;
  const bool small = x < a + 1;
  const double value = small ? lower_gamma(a, x) : upper_gamma(a, x);
  return small == upper ? 1 - value : value;
}

}  // namespace tide
