// erf, erfc and erfinv.
#pragma once

#include <limits>

#include "runtime/ir/math/math_exponential.h"
#include "runtime/ir/math/math_logarithm.h"

namespace tide::math {

/// exp(a^2) erfc(a) for 0 <= a < 28 (f32: 10.5): g(t) / (1 + 2 a) with t = (a - K) / (a + K), g a
/// minimax polynomial (Shepherd and Laframboise, Math. Comp. 36, 1981).
template <class V>
constexpr V erfc_scaled(V a) {
  const bool wide = is_wide(a);
  const V k = a.constant(wide ? 3.0 : 2.0);
  const V t = (a - k) / (a + k);
  const V g =
      wide
          ? polynomial(t, {1.2530080582697298,      -0.13562110612457662,    -0.047562294353492705,
                           0.1296451587022984,      -0.11927366341337704,    0.068308027358028,
                           -0.02377051495320507,    0.0025293916168792345,   0.0018886906644355946,
                           -0.000779830694276835,   -0.00010516126057815913, 0.0001250917238183223,
                           4.953220269183881e-06,   -2.007711349716557e-05,  -7.352705948866119e-07,
                           3.4261960812675968e-06,  3.524130414062127e-07,   -5.597578683568283e-07,
                           -1.2455308828671035e-07, 6.136594428249953e-08,   2.2859041002666618e-08,
                           3.493501613305084e-10})
          : polynomial(t, {1.27697837, -0.0927638933, -0.166030973, 0.164053157, -0.0542073101,
                           -0.00804473273, 0.00864297338, 0.00127325905, -0.00125743251,
                           -0.000363449537, 2.87202292e-05});
  return g / (a + a + a.constant(1.0));
}

/// erfc(a) for a >= 0, accurate in the tail: the rounding error of a^2 corrects the exponential.
template <class V>
V erfc_positive(V a) {
  const V top = a.constant(is_wide(a) ? 28.0 : 10.5);  // 0 from here on
  a = select(a > top, top, a);
  const auto [square, error] = exact_square(a);
  return exp_corrected(-square, -error, 0.0) * erfc_scaled(a);
}

/// exp(x^2) erfc(x). From 28 on by the asymptotic series (Abramowitz and Stegun 7.1.23), below 0 by
/// erfc(-x) = 2 - erfc(x).
template <class W>
constexpr W erfcx_wide(W x) {
  const W a = abs(x);
  const W top = x.constant(28.0);
  const W low = select(a < top, a, top);
  const W high = select(a < top, top, a);
  const W inverse = x.constant(1.0) / high;
  const W series = polynomial(inverse * inverse, {1.0, -0.5, 0.75, -1.875, 6.5625, -29.53125});
  const W far = inverse * x.constant(0.5641895835477563) * series;
  const W y = select(a < top, erfc_scaled(low), far);
  const auto [square, error] = exact_square(low);
  const W grown = exp_corrected(square, error, 1.0) - y;
  const W result = select(x < x.constant(0.0), grown, y);
  return select(x == x, result, x);
}

template <class V>
constexpr V erfcx(V x) {
  return converted(erfcx_wide(widened(x)), x);
}

template <class V>
V erfc(V x) {
  const V y = erfc_positive(abs(x));
  return select(x < x.constant(0.0), x.constant(2.0) - y, y);
}

/// f32: x times a rational minimax approximation in x^2, up to where erf rounds to 1.
/// f64: x times a polynomial in x^2 below 1, 1 - erfc above.
template <class V>
V erf(V x) {
  const V a = abs(x);
  const V one = x.constant(1.0);
  if (is_wide(x)) {
    const V z = a * a;
    const V p =
        polynomial(z, {-0.3761263890318375, 0.1128379167095487, -0.026866170645074294,
                       0.005223977624792323, -0.0008548326979379369, 0.00012055331060580708,
                       -1.4925594095204869e-05, 1.6460982579686238e-06, -1.635013186044283e-07,
                       1.4658615077612165e-08, -1.1368564562417565e-09, 5.950240423482766e-11});
    const V small = x * fma(z, p, x.constant(1.1283791670955126));
    return select(a < one, small, with_sign(one - erfc_positive(a), x));
  }
  const V limit = x.constant(3.95);
  const V b = select(a > limit, limit, a);
  const V z = b * b;
  const V p = polynomial(
      z, {1.12837914, 0.191543034, 0.0528742669, 0.00380777017, 0.000284665864, 2.02580499e-06});
  const V q =
      polynomial(z, {1.0, 0.503083274, 0.114556414, 0.0150543421, 0.00117060495, 3.78295641e-05});
  return with_sign(b * (p / q), x);
}

/// erfinv(y) / y is smooth in w = -log(1 - y^2), or in its square root (Giles, "Approximating the
/// erfinv function", 2010): interpolated at Chebyshev points up to w = 6.5 (f32: 5) and from there
/// to the last value below 1. Infinite at -1 and 1, nan beyond.
template <class V>
constexpr V erfinv(V y) {
  const bool wide = is_wide(y);
  const V one = y.constant(1.0), zero = y.constant(0.0);
  const V a = abs(y);
  const V b = select(a < one, a, zero);
  const auto [k, m] = log_parts((one - b) * (one + b));
  const V w = -log_sum(k, m - one, zero);
  const V t = w - w.constant(wide ? 3.25 : 2.5);
  const V u = sqrt(w) - w.constant(wide ? 4.25 : 3.0);
  const V near =
      wide
          ? polynomial(t, {1.683578657855035,       0.2386164859521738,     -0.006294203865046097,
                           -0.0006495543454102977,  0.00017776603602858928, -1.4770969391730154e-05,
                           -1.0082651697867554e-06, 3.9233677622878575e-07, -3.297689122881984e-08,
                           -2.8502840073111982e-09, 9.648297758029967e-10,  -7.047500261717468e-11,
                           -8.848673633843023e-12,  2.4306498864020347e-12, -1.4433724995322345e-13,
                           -2.723354623704012e-14,  6.275935444669999e-15,  -2.728251965223157e-16,
                           -9.434280148623734e-17,  1.6021944710409507e-17, 4.0501902442045666e-19,
                           -2.8395053591897006e-19, 4.94230211463767e-21,   2.167535950157377e-21})
          : polynomial(t, {1.50140936, 0.246640279, -0.00417739288, -0.00125272639, 0.000218349386,
                           -4.97241969e-06, -3.46398527e-06, 4.68131348e-07, 2.33359672e-08,
                           -8.93192597e-09});
  const V far =
      wide ? polynomial(u,
                        {4.09222342366813,        1.009978277161253,       0.0007127499726153333,
                         -0.0006078940273629247,  0.00021217671410537337,  -6.441975192559816e-05,
                         2.1980122088119307e-05,  -1.0197658506370769e-05, 5.80729150607419e-06,
                         -3.211148076619606e-06,  1.490122170639384e-06,   -5.15221983233e-07,
                         9.336789507310707e-08,   2.5561567886345313e-08,  -3.02181086314918e-08,
                         1.348348627579835e-08,   -3.0161943720403567e-09, -2.189636739694228e-10,
                         4.3906344715014e-10,     -1.7364015121268607e-10, 4.121479569598109e-11,
                         -1.6003122568688397e-12, -5.5463818599143945e-12, 2.491790837477322e-12,
                         -1.444962942506614e-13,  -1.3989071923054128e-13, 2.5645413796337415e-14})
           : polynomial(u, {2.83297681, 1.00167491, 0.00944499211, -0.00763648964, 0.00568921629,
                            -0.00360090033, 0.00147970395, -5.04588529e-05, -0.000305525051,
                            0.000111538581});
  const V inside = y * select(w < w.constant(wide ? 6.5 : 5.0), near, far);
  const V ends = select(a == one, y * y.constant(std::numeric_limits<double>::infinity()),
                        y.constant(std::numeric_limits<double>::quiet_NaN()));
  return select(a < one, inside, ends);
}

}  // namespace tide::math
