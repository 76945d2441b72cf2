// Functions of pairs of numbers whose loops end when the values say so.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "runtime/cpu/native.h"
#include "runtime/cpu/strided_walk.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/ops/pair_function.h"
#include "runtime/ops/pair_math.h"

namespace tide {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon() / 2;
constexpr int kMostSteps = 200000;  ///< more than arguments up to 1e9 need

/// x^a exp(-x) / gamma(a + 1). For large a by Stirling's formula, where x^a and gamma(a + 1) would
/// lose the digits that are left of their quotient.
double gamma_weight(double a, double x) {
  if (a < 10) return std::exp(a * std::log(x) - x - std::lgamma(a + 1));
  const double excess = (x - a) / a;
  const double exponent = a * (std::log1p(excess) - excess);
  const double inverse = 1 / (a * a);
  const double correction =
      (1.0 / 12 - inverse * (1.0 / 360 - inverse * (1.0 / 1260 - inverse / 1680))) / a;
  return std::exp(exponent - correction) / std::sqrt(2 * M_PI * a);
}

/// P(a, x) by its power series (Abramowitz and Stegun 6.5.29), for x up to about a.
double lower_gamma(double a, double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < kMostSteps && term > sum * kEpsilon; ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return std::min(1.0, sum * gamma_weight(a, x));
}

/// Q(a, x) by its continued fraction (6.5.31), evaluated by Lentz's method, for x above a.
double upper_gamma(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, product = d;
  for (int k = 1; k < kMostSteps; ++k) {
    const double numerator = -k * (k - a);
    b += 2;
    d = numerator * d + b;
    if (std::abs(d) < kTiny) d = kTiny;
    c = b + numerator / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    const double factor = c * d;
    product *= factor;
    if (std::abs(factor - 1) < 2 * kEpsilon) break;
  }
  return std::min(1.0, product * a * gamma_weight(a, x));
}

/// P(a, x), or Q(a, x).
double share_of_gamma(double a, double x, bool upper) {
  if (!(a >= 0) || !(x >= 0)) return kNan;
  if (a == 0) return x > 0 ? !upper : kNan;
  if (x == 0) return upper;
  if (std::isinf(a)) return std::isinf(x) ? kNan : upper;
  if (std::isinf(x)) return !upper;
  const bool small = x < a + 1;
  const double value = small ? lower_gamma(a, x) : upper_gamma(a, x);
  return small == upper ? 1 - value : value;
}

template <class T, class Function>
void for_pairs(NativeCall& call, const Function& function) {
  const ArrayView &a = call.inputs[0], &b = call.inputs[1];
  const auto* left = static_cast<const T*>(a.data);
  const auto* right = static_cast<const T*>(b.data);
  auto* out = static_cast<T*>(call.outputs[0].data);
  const Shape& shape = a.layout.shape;
  call.parallel->for_range(shape.numel(), 1024, [&](int64_t begin, int64_t end) {
    StridedWalk<2> walk(shape, {a.layout.strides.data(), b.layout.strides.data()}, begin);
    for (int64_t i = begin; i < end; ++i, walk.next())
      out[i] = function(left[walk.offset(0)], right[walk.offset(1)]);
  });
}

}  // namespace

void native_pair_function(NativeCall& call) {
  const auto function = static_cast<PairFunction>(call.attributes[0]);
  visit_type(call.inputs[0].type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (is_floating_type<T>) {
      if (function == PairFunction::nextafter)
        return for_pairs<T>(call, [](T a, T b) {
          return neighbour(a, b, static_cast<Wide<T>>(a), static_cast<Wide<T>>(b));
        });
      const bool upper = function == PairFunction::igammac;
      for_pairs<T>(call, [upper](T a, T b) {
        const auto number = [](T x) { return static_cast<double>(static_cast<Wide<T>>(x)); };
        return static_cast<T>(static_cast<Wide<T>>(share_of_gamma(number(a), number(b), upper)));
      });
    } else if constexpr (!std::is_same_v<T, bool>) {
      if (function == PairFunction::gcd)
        for_pairs<T>(call, [](T a, T b) { return greatest_divisor(a, b); });
      else
        for_pairs<T>(call, [](T a, T b) { return least_multiple(a, b); });
    }
  });
}

}  // namespace tide
