// log of the gamma function and its derivatives. Also computed in f64 for f32: they are rarely
// used, and their sums cancel near the zeros.
#pragma once

#include <array>

#include "runtime/ir/math/math_logarithm.h"
#include "runtime/ir/math/math_power.h"
#include "runtime/ir/math/math_trigonometric.h"

namespace tide::math {

/// sin and cos of pi x; x is reduced exactly.
template <class W>
SineCosine<W> sine_cosine_pi(W x) {
  const W twice = x + x;
  const W n = round_even(twice);
  const auto [s, c] = sine_cosine((twice - n) * x.constant(kPi / 2));
  const W q = n - x.constant(4.0) * floor(n * x.constant(0.25));
  const auto odd = (q == x.constant(1.0)) | (q == x.constant(3.0));
  const W sine = select(odd, c, s);
  const W cosine = select(odd, s, c);
  const auto second_or_third = (q == x.constant(1.0)) | (q == x.constant(2.0));
  return {select(q >= x.constant(2.0), -sine, sine), select(second_or_third, -cosine, cosine)};
}

/// From here on Stirling's series is accurate; smaller arguments are shifted there by gamma(x + 1)
/// = x gamma(x).
constexpr double kStirlingFrom = 8;

/// (x + 1) (x + 2) ... (x + 7)
template <class W>
constexpr W next_factors(W x) {
  W product = x.constant(1.0);
  for (int i = 1; i < kStirlingFrom; ++i) product = product * (x + x.constant(i));
  return product;
}

/// log(gamma(x)) for x from kStirlingFrom on (Abramowitz and Stegun 6.1.41).
template <class W>
constexpr W stirling_series(W x) {
  const W one = x.constant(1.0);
  const W inverse = one / x;
  const W series =
      inverse * polynomial(inverse * inverse,
                           {0.08333333333333333, -0.002777777777777778, 0.0007936507936507937,
                            -0.0005952380952380953, 0.0008417508417508417, -0.0019175269175269176,
                            0.00641025641025641, -0.029550653594771242, 0.1796443723688306,
                            -1.3924322169059011});
  return (x - x.constant(0.5)) * (log(x) - one) + (x.constant(0.4189385332046727) + series);
}

/// log(gamma(2 + t)) for |t| up to 0.5 with full relative accuracy: the series of (-1)^k (zeta(k) -
/// 1) t^k / k (Abramowitz and Stegun 6.1.33).
template <class W>
constexpr W lgamma_from_two(W t) {
  return t *
         polynomial(t, {0.42278433509846713,     0.3224670334241132,     -0.0673523010531981,
                        0.020580808427784546,    -0.007385551028673986,  0.0028905103307415234,
                        -0.001192753911703261,   0.0005096695247430425,  -0.00022315475845357939,
                        9.945751278180853e-05,   -4.492623673813314e-05, 2.050721277567069e-05,
                        -9.439488275268397e-06,  4.374866789907488e-06,  -2.039215753801366e-06,
                        9.55141213040742e-07,    -4.492469198764566e-07, 2.1207184805554665e-07,
                        -1.0043224823968099e-07, 4.7698101693639804e-08, -2.2711094608943164e-08,
                        1.0838659214896955e-08,  -5.183475041970047e-09, 2.4836745438024785e-09,
                        -1.1921401405860912e-09, 5.731367241678862e-10,  -2.7595228851242334e-10});
}

/// Near the zeros of log(gamma(x)) at 1 and 2: from kSeriesFrom to kSeriesTo it is
/// lgamma_from_two(t) - log(divisor).
constexpr double kSeriesFrom = 0.5, kSeriesTo = 2.5;

template <class W>
struct NearOneOrTwo {
  W t, divisor;
};
template <class W>
constexpr NearOneOrTwo<W> near_one_or_two(W x) {
  const auto first = x < x.constant(1.5);
  return {x - select(first, x.constant(1.0), x.constant(2.0)), select(first, x, x.constant(1.0))};
}

/// log |gamma(x)|; negative arguments are reflected. Full relative accuracy except near the zeros
/// at negative arguments, where the absolute error is about 1e-15.
template <class W>
W lgamma_wide(W x) {
  const W one = x.constant(1.0);
  const W y = abs(x);
  const auto low = y < x.constant(kStirlingFrom);
  const auto negative = x < x.constant(0.0);
  const W product = next_factors(y);
  const W shifted = stirling_series(select(low, y + x.constant(kStirlingFrom), y));
  const auto series = (x >= x.constant(kSeriesFrom)) & (x <= x.constant(kSeriesTo));
  const auto [t, divisor] = near_one_or_two(x);
  const W stirling = select(series, lgamma_from_two(t), shifted);

  const W sine = abs(sine_cosine_pi(y).sine);
  // The smallest sines equal their angles, here times 2^200: reciprocals would be infinite.
  const auto tiny = negative & (y < x.constant(0x1p-500));
  const W raised = select(tiny, y * x.constant(0x1p200) * x.constant(kPi), sine);
  const W mirrored = x.constant(kPi) * select(low, product, one / y) / raised;
  const W moved = select(series, divisor, select(low, product * y, one));
  const W l = log(select(negative, mirrored, moved)) +
              select(tiny, x.constant(200 * kLn2), x.constant(0.0));
  const W result = select(negative, l - stirling, stirling - l);
  const W infinity = x.constant(std::numeric_limits<double>::infinity());
  const auto pole = (y == infinity) | (negative & (y >= x.constant(0x1p52)));
  return select(pole, infinity, result);
}

template <class V>
V lgamma(V x) {
  return converted(lgamma_wide(widened(x)), x);
}

/// The derivative of lgamma, from the derivatives of its formulas (Abramowitz and Stegun 6.3).
template <class W>
W digamma_wide(W x) {
  const W one = x.constant(1.0);
  const W y = abs(x);
  const auto low = y < x.constant(8.0);
  // numerator / denominator = 1 / y + 1 / (y + 1) + ... + 1 / (y + 7)
  W numerator = one;
  W denominator = y;
  for (int i = 1; i < 8; ++i) {
    const W factor = y + x.constant(i);
    numerator = numerator * factor + denominator;
    denominator = denominator * factor;
  }
  const W z = select(low, y + x.constant(8.0), y);
  const W inverse = one / z;
  const W square = inverse * inverse;
  const W series =
      square *
      polynomial(square, {0.08333333333333333, -0.008333333333333333, 0.003968253968253968,
                          -0.004166666666666667, 0.007575757575757576, -0.021092796092796094,
                          0.08333333333333333, -0.4432598039215686, 3.0539543302701198});
  const W asymptotic = log(z) - (inverse * x.constant(0.5) + series);
  const W positive = asymptotic - select(low, numerator / denominator, x.constant(0.0));
  const auto [sine, cosine] = sine_cosine_pi(y);
  const W mirrored = positive + one / y + x.constant(kPi) * (cosine / sine);
  // At a negative integer the one-sided limits differ: there is no limit.
  const W zero = x.constant(0.0);
  const W below =
      select(sine == zero, x.constant(std::numeric_limits<double>::quiet_NaN()), mirrored);
  return select(x == zero, zero - one / x, select(x < zero, below, positive));
}

template <class V>
V digamma(V x) {
  return converted(digamma_wide(widened(x)), x);
}

/// The derivative of digamma, by the same steps.
template <class W>
W trigamma_wide(W x) {
  const W one = x.constant(1.0);
  const W zero = x.constant(0.0);
  const W y = abs(x);
  const auto low = y < x.constant(8.0);
  W moved = zero;
  for (int i = 0; i < 8; ++i) {
    const W inverse = one / (y + x.constant(i));
    moved = moved + inverse * inverse;
  }
  const W z = select(low, y + x.constant(8.0), y);
  const W inverse = one / z;
  const W square = inverse * inverse;
  const W series =
      polynomial(square, {0.16666666666666666, -0.03333333333333333, 0.023809523809523808,
                          -0.03333333333333333, 0.07575757575757576, -0.2531135531135531,
                          1.1666666666666667, -7.092156862745098, 54.971177944862156});
  const W asymptotic = inverse + square * (x.constant(0.5) + inverse * series);
  const W positive = asymptotic + select(low, moved, zero);
  const W pi_over_sine = x.constant(kPi) / sine_cosine_pi(y).sine;
  const W mirrored = pi_over_sine * pi_over_sine - positive + one / (y * y);
  return select(x < zero, mirrored, positive);
}

template <class V>
V trigamma(V x) {
  return converted(trigamma_wide(widened(x)), x);
}

/// The sum of (a + k)^-s over k = 0, 1, ... for a >= -6: 16 terms, then the Euler-Maclaurin
/// formula.
template <class W>
W zeta_from(W s, W a) {
  const W one = s.constant(1.0);
  const W count = s.constant(16.0);
  const W sum = while_any(
      std::array<W, 2>{s.constant(0.0), s.constant(0.0)},
      [&](const std::array<W, 2>& v) { return v[1] < count; },
      [&](const std::array<W, 2>& v) {
        return std::array<W, 2>{v[0] + pow(a + v[1], -s), v[1] + one};
      })[0];
  const W end = a + count;
  const W power = pow(end, -s);
  W tail = power * (end / (s - one) + s.constant(0.5));
  W factor = s / end;
  int k = 0;
  for (double b : {0.083333333333333329, -0.0013888888888888889, 3.3068783068783071e-05,
                   -8.2671957671957675e-07, 2.0876756987868100e-08, -5.2841901386874932e-10,
                   1.3382536530684679e-11, -3.3896802963225829e-13, 8.5860620562778446e-15}) {
    tail = tail + s.constant(b) * (power * factor);
    factor = factor * ((s + s.constant(2 * k + 1)) / end) * ((s + s.constant(2 * k + 2)) / end);
    ++k;
  }
  const W infinity = s.constant(std::numeric_limits<double>::infinity());
  // Where the first term dominates, the others must not make it nan.
  return select((sum == infinity) | (a == infinity) | (s == infinity), sum, sum + tail);
}

/// The Hurwitz zeta function, the sum of (q + k)^-s over k = 0, 1, ... nan for s < 1, and for q < 0
/// unless s is an integer.
template <class W>
W zeta_wide(W s, W q) {
  const W zero = s.constant(0.0);
  const W one = s.constant(1.0);
  const W two = s.constant(2.0);
  const W infinity = s.constant(std::numeric_limits<double>::infinity());
  const W nan = s.constant(std::numeric_limits<double>::quiet_NaN());
  const auto whole = floor(s) == s;
  // Far below 0 there are three sums: the terms from q's fraction f on, plus the terms below it,
  // which are (-1)^s times the difference of the sums from 1 - f on and from 1 - q on.
  const auto far = (q < s.constant(-6.0)) & (floor(q) != q) & whole & (s > one) & (s < infinity);
  const W fraction = q - floor(q);
  const W half = s * s.constant(0.5);
  const W sign = select(floor(half) == half, one, -one);
  const W sums = select(far, s.constant(3.0), one);
  W result = while_any(
      std::array<W, 2>{zero, zero}, [&](const std::array<W, 2>& v) { return v[1] < sums; },
      [&](const std::array<W, 2>& v) {
        const auto first = v[1] == zero;
        const W below = select(v[1] == one, one - fraction, one - q);
        const W start = select(far, select(first, fraction, below), q);
        const W part = zeta_from(s, start);
        const W signed_part = select(first, part, select(v[1] < two, sign * part, -(sign * part)));
        const auto unfinished = v[1] < sums;
        return std::array<W, 2>{select(unfinished, v[0] + signed_part, v[0]),
                                select(unfinished, v[1] + one, v[1])};
      })[0];
  // A large odd s yields infinity minus infinity.
  result = select(far & (result != result), infinity, result);
  result = select((q < zero) & (floor(s) != s), nan, result);
  result = select((q <= zero) & (floor(q) == q), infinity, result);
  result = select(s == one, infinity, result);
  result = select(s < one, nan, result);
  return select((s == s) & (q == q), result, nan);
}

template <class V>
V zeta(V s, V q) {
  return converted(zeta_wide(widened(s), widened(q)), s);
}

}  // namespace tide::math
