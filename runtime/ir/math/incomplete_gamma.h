// The incomplete gamma functions, with the same bits on the host and in CUDA kernels.
#pragma once

#include <cmath>
#include <limits>

#include "runtime/ir/math/number_math.h"

namespace tide {

constexpr double kGammaEpsilon = 0x1p-53;
constexpr int kMostGammaSteps = 2000;  ///< more than any arguments need
constexpr double kNearGamma = 0.3;     ///< the largest |x - a| / a for which x is near a

TIDE_HOST_AND_DEVICE inline double at_most_one(double x) { return x > 1 ? 1 : x; }

/// log(1 + x) - x without cancellation for |x| up to kNearGamma, by the series of
/// 2 artanh(x / (2 + x)).
TIDE_HOST_AND_DEVICE inline double log1p_minus_x(double x) {
  const double r = x / (2 + x), square = r * r;
  double sum = 0;
  for (int k = 23; k >= 3; k -= 2) sum = sum * square + 1.0 / k;
  return 2 * r * square * sum - x * r;
}

/// x^a exp(-x) / gamma(a + 1). For large a by Stirling's formula, because dividing x^a by gamma(a +
/// 1) would lose digits.
TIDE_HOST_AND_DEVICE inline double gamma_weight(double a, double x) {
  if (a < 16) return number::exp(a * number::log(x) - x - number::lgamma(a + 1));
  const double excess = (x - a) / a;
  const double exponent =
      std::fabs(excess) < kNearGamma ? log1p_minus_x(excess) : number::log(x / a) - excess;
  const double inverse = 1 / (a * a);
  const double correction =
      (1.0 / 12 -
       inverse * (1.0 / 360 - inverse * (1.0 / 1260 - inverse * (1.0 / 1680 - inverse / 1188)))) /
      a;
  return number::exp(a * exponent - correction) / std::sqrt(2 * math::kPi * a);
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

/// For a >= 20 and x near a: P(a, x) if x < a, else Q(a, x), by the uniform asymptotic expansion
/// (Temme, "The asymptotic expansion of the incomplete gamma functions", SIAM J. Math. Anal. 10,
/// 1979; DLMF 8.12). Row k has the Taylor coefficients in eta of the factor of a^-k.
TIDE_HOST_AND_DEVICE inline double near_gamma(double a, double excess) {
  constexpr int kOrders = 11, kTerms = 15;
  const double coefficients[kOrders][kTerms] = {
      {-0.3333333333333333, 0.08333333333333333, -0.014814814814814815, 0.0011574074074074073,
       0.0003527336860670194, -0.0001787551440329218, 3.919263178522438e-05, -2.185448510679992e-06,
       -1.85406221071516e-06, 8.296711340953087e-07, -1.7665952736826078e-07, 6.707853543401498e-09,
       1.0261809784240309e-08, -4.382036018453353e-09, 9.14769958223679e-10},
      {-0.001851851851851852, -0.003472222222222222, 0.0026455026455026454, -0.0009902263374485596,
       0.00020576131687242798, -4.018775720164609e-07, -1.8098550334489977e-05,
       7.64916091608111e-06, -1.6120900894563446e-06, 4.647127802807434e-09, 1.378633446915721e-07,
       -5.752545603517705e-08, 1.1951628599778148e-08},
      {0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049, 2.0093878600823047e-06,
       -0.0001073665322636516, 5.2923448829120125e-05, -1.2760635188618728e-05,
       3.423578734096138e-08, 1.3721957309062934e-06, -6.298992138380055e-07,
       1.4280614206064242e-07, -2.0477098421990866e-10, -1.409252991086752e-08},
      {0.0006494341563786008, 0.00022947209362139917, -0.0004691894943952557,
       0.00026772063206283885, -7.561801671883977e-05, -2.396505113867297e-07,
       1.1082654115347302e-05, -5.6749528269915965e-06, 1.4230900732435883e-06,
       -2.7861080291528143e-11, -1.6958404091930278e-07, 8.099464905388083e-08},
      {-0.0008618882909167117, 0.0007840392217200666, -0.0002990724803031902,
       -1.4638452578843418e-06, 6.641498215465122e-05, -3.968365047179435e-05,
       1.1375726970678419e-05, 2.507497226237533e-10, -1.6954149536558305e-06,
       8.907507532205309e-07, -2.292934834000805e-07},
      {-0.00033679855336635813, -6.972813758365857e-05, 0.0002772753244959392,
       -0.00019932570516188847, 6.797780477937208e-05, 1.419062920643967e-07,
       -1.3594048189768693e-05, 8.018470256334202e-06, -2.291481176508095e-06},
      {0.0005313079364639922, -0.0005921664373536939, 0.0002708782096718045, 7.902353232660328e-07,
       -8.153969367561969e-05, 5.61168275310625e-05, -1.8329116582843375e-05},
      {0.00034436760689237765, 5.171790908260592e-05, -0.00033493161081142234,
       0.0002812695154763237, -0.00010976582244684731, -1.2741009095484485e-07,
       2.7744451511563645e-05},
      {-0.0006526239185953094, 0.0008394987206720873, -0.000438297098541721, -6.969091458420552e-07,
       0.00016644846642067547, -0.00012783517679769218},
      {-0.0005967612901927463, -7.204895416020011e-05, 0.0006782308837667328,
       -0.0006401475260262758},
      {0.0013324454494800656, -0.0019144384985654776},
  };
  const double half_square = -log1p_minus_x(excess);
  const double eta = excess < 0 ? -std::sqrt(2 * half_square) : std::sqrt(2 * half_square);
  double series = 0;
  for (int k = kOrders - 1; k >= 0; --k) {
    double factor = 0;
    for (int n = kTerms - 1; n >= 0; --n) factor = factor * eta + coefficients[k][n];
    series = series / a + factor;
  }
  const double correction = series / std::sqrt(2 * math::kPi * a);
  const double scaled = 0.5 * number::erfcx(std::sqrt(a * half_square));
  return number::exp(-a * half_square) * (excess < 0 ? scaled - correction : scaled + correction);
}

/// log(gamma(1 + a)) for 0 <= a <= 1.5, accurate near 0.
TIDE_HOST_AND_DEVICE inline double lgamma_from_one(double a) {
  if (a > 0.5) return math::lgamma_from_two(reference::Value<double>(a - 1)).number();
  return math::lgamma_from_two(reference::Value<double>(a)).number() - number::log1p(a);
}

/// Q(a, x) for x up to 1.1 where it is small, because 1 - P would lose digits.
TIDE_HOST_AND_DEVICE inline double small_upper_gamma(double a, double x) {
  const double grown = number::expm1(a * number::log(x) - lgamma_from_one(a));
  double term = 1, sum = 0;
  for (int n = 1; n < 40; ++n) {
    term *= -x / n;
    sum += term / (a + n);
  }
  return -grown - a * (1 + grown) * sum;
}

/// Whether 1 - P(a, x) loses digits.
TIDE_HOST_AND_DEVICE inline bool is_small_upper_gamma(double a, double x) {
  if (x > 1.1) return false;
  return x <= 0.5 ? a <= -0.4 / number::log(x) : a <= 1.1 * x;
}

/// P(a, x), or Q(a, x).
TIDE_HOST_AND_DEVICE inline double share_of_gamma(double a, double x, bool upper) {
  if (!(a >= 0) || !(x >= 0)) return std::numeric_limits<double>::quiet_NaN();
  if (a == 0) return x > 0 ? !upper : std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return upper;
  if (std::isinf(a)) return std::isinf(x) ? std::numeric_limits<double>::quiet_NaN() : upper;
  if (std::isinf(x)) return !upper;
  const double excess = (x - a) / a;
  const bool near = a >= 20 && std::fabs(excess) < kNearGamma;
  const bool small = near ? excess < 0 : x < a + 1;
  if (small && upper && is_small_upper_gamma(a, x)) return small_upper_gamma(a, x);
  const double value = near ? near_gamma(a, excess) : small ? lower_gamma(a, x) : upper_gamma(a, x);
  return small == upper ? 1 - value : value;
}

}  // namespace tide
