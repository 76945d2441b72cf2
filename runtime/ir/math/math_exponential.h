// exp and functions built from it: exp2, expm1, sinh, cosh, tanh, sigmoid.
#pragma once

#include "runtime/ir/math/math_basic.h"

namespace tide::math {

/// The integer n nearest to times * x / ln(2), and counted = n + offset + rounding_number.
template <class V>
struct Exponent {
  V counted, n;
};
template <class V>
constexpr Exponent<V> exponent_of(V x, double offset, double times = 1.0) {
  const V origin = x.constant(rounding_number(x) + offset);
  const V counted = fma(x, x.constant(1.4426950408889634 * times), origin);
  return {counted, counted - origin};
}

/// x - n ln(2). ln 2 is split so that n * high is exact (Cody and Waite, Software Manual for the
/// Elementary Functions, 1980).
template <class V>
constexpr V without_exponent(V x, V n) {
  const double high = is_wide(x) ? 6.93147180369123816490e-01 : 0.693359375;
  const double low = is_wide(x) ? 1.90821492927058770002e-10 : -2.1219444005469058e-4;
  return fma(n, x.constant(-low), fma(n, x.constant(-high), x));
}

/// times * p(times * r), where exp(r) = 1 + r + r^2 p(r) for |r| <= ln(2) / 2; minimax polynomial.
template <class V>
constexpr V exp_tail(V r, double times = 1.0) {
  return is_wide(r)
             ? polynomial(r,
                          {0.5000000000000006, 0.16666666666666602, 0.041666666666573274,
                           0.008333333333380877, 0.0013888888932568836, 0.00019841269739004922,
                           2.4801504147437784e-05, 2.7557388629821528e-06, 2.762646819057752e-07,
                           2.5060087798790902e-08},
                          times)
             : polynomial(r, {0.49999997, 0.16666542, 0.0416674949, 0.00836671237, 0.0013865428},
                          times);
}
template <class V>
constexpr V expm1_reduced(V r) {
  return fma(r * r, exp_tail(r), r);
}
template <class V>
constexpr V exp_reduced(V r) {
  const V one = r.constant(1.0);
  return fma(fma(exp_tail(r), r, one), r, one);
}

/// x clamped between an argument far below those where exp is 0 and one where half of it overflows.
/// At the lower bound `scaled_by` multiplies by 0: a subnormal result would take a processor a
/// hundred cycles, and attention masks are full of -inf.
template <class V>
constexpr V exp_range(V x) {
  const V top = x.constant(is_wide(x) ? 712.0 : 90.0);
  const V bottom = x.constant(is_wide(x) ? -1417.5 : -175.4);
  // In this form nan propagates.
  x = select(x > top, top, x);
  return select(x < bottom, bottom, x);
}

/// exp(x + correction) * 2^shift, where |correction| is far below 1 and x is arbitrary.
template <class V>
constexpr V exp_corrected(V x, V correction, double shift) {
  x = exp_range(x);
  const auto [counted, n] = exponent_of(x, 2 * exponent_bias(x) + shift);
  return scaled_by(exp_reduced(without_exponent(x, n) + correction), counted);
}

template <class V>
constexpr V exp(V x) {
  x = exp_range(x);
  const auto [counted, n] = exponent_of(x, 2 * exponent_bias(x));
  return scaled_by(exp_reduced(without_exponent(x, n)), counted);
}

/// exp(x) / 2, even where exp(x) overflows.
template <class V>
constexpr V half_exp(V x) {
  return exp_corrected(x, x.constant(0.0), -1.0);
}

template <class V>
constexpr V exp2(V x) {
  const V top = x.constant(is_wide(x) ? 1025.0 : 129.0);
  const V bottom = x.constant(is_wide(x) ? -2045.0 : -253.0);  // as in exp_range
  x = select(x > top, top, x);
  x = select(x < bottom, bottom, x);
  const V n = nearest(x);
  return scaled(exp_reduced((x - n) * x.constant(kLn2)), n);
}

/// exp(x) - 1, with full relative accuracy near 0.
template <class V>
constexpr V expm1(V x) {
  const V bottom = x.constant(is_wide(x) ? -40.0 : -20.0);
  const V top = x.constant(is_wide(x) ? 710.0 : 89.0);
  V y = select(x > top, top, x);
  y = select(y < bottom, bottom, y);
  // First 2^(n - 1), doubled at the end: 2^n may overflow where the result does not.
  const auto [counted, n] = exponent_of(y, exponent_bias(y) - 1.0);
  const V half = power_of_two(counted);
  const V sum = fma(half, expm1_reduced(without_exponent(y, n)), half - half.constant(0.5));
  // A tiny x is its own result; this keeps the sign of zero.
  return select(x == x.constant(0.0), x, sum + sum);
}

template <class V>
constexpr V cosh(V x) {
  const V e = half_exp(abs(x));
  return e + e.constant(0.25) / e;
}

/// Below 1 an odd minimax polynomial, above by the definition.
template <class V>
constexpr V sinh(V x) {
  const V z = x * x;
  const V p = is_wide(x)
                  ? polynomial(z, {0.16666666666666669, 0.00833333333333297, 0.00019841269841531204,
                                   2.755731913037768e-06, 2.505212685643071e-08,
                                   1.6057000490236218e-10, 7.765898615638359e-13})
                  : polynomial(z, {0.166666672, 0.00833331607, 0.0001984142, 2.79153824e-06});
  const V e = half_exp(abs(x));
  return select(abs(x) < x.constant(1.0), fma(x * z, p, x), with_sign(e - e.constant(0.25) / e, x));
}

/// h / (h + 1) with the sign of x, h = expm1(2 |x|) / 2.
template <class V>
constexpr V tanh(V x) {
  const V limit = x.constant(is_wide(x) ? 22.0 : 10.0);
  const auto sign = bits(x) & bits(x.constant(-0.0));
  V a = float_bits(bits(x) ^ sign);
  a = select(a > limit, limit, a);
  // 2 |x| = n ln 2 + 2 r and exp(2 r) = 1 + 2 m. The error from rounding ln 2 grows with h, but the
  // result depends less and less on h.
  const auto [counted, n] = exponent_of(a, exponent_bias(a), 2.0);
  const V power = power_of_two(counted);
  const V r = fma(n, x.constant(-0.5 * kLn2), a);
  const V m = fma(r * r, exp_tail(r, 2.0), r);
  const V half = x.constant(0.5);
  const V h = fma(power, m, fma(power, half, -half));
  return float_bits(bits(h / (h + h.constant(1.0))) | sign);
}

/// 1 / (1 + exp(-x)); 0 where exp(x) is subnormal.
template <class V>
constexpr V sigmoid(V x) {
  // Within these bounds, 2^n is a normal number or infinite.
  const V top = x.constant(is_wide(x) ? 708.0 : 87.0);
  const V bottom = x.constant(is_wide(x) ? -709.6 : -88.6);
  x = select(x > top, top, x);
  x = select(x < bottom, bottom, x);
  const auto [counted, n] = exponent_of(-x, exponent_bias(x));
  const V one = x.constant(1.0);
  return one / fma(exp_reduced(without_exponent(-x, n)), power_of_two(counted), one);
}

}  // namespace tide::math
