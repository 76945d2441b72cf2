// pow, hypot, and remainders of floating division.
#pragma once

#include "runtime/ir/math/math_exponential.h"
#include "runtime/ir/math/math_logarithm.h"

namespace tide::math {

/// A value as an unevaluated sum, `low` below the last bit of `high`.
template <class W>
struct Pair {
  W high, low;
};

/// log(x) for positive x, accurate to about 2^-63. f / (2 + f) is corrected by its remainder (as in
/// fdlibm's e_pow.c), the leading terms are added without error, the others are small.
template <class W>
Pair<W> log_pair(W x) {
  const auto [k, m] = log_parts_with_denormals(x);
  const W one = x.constant(1.0);
  const W f = m - one;
  const W t = m + one;
  const W s = f / t;
  const W s_high = head(s);
  const W t_high = head(t);
  const W t_low = m - (t_high - one);
  const W s_low = ((f - s_high * t_high) - s_high * t_low) / t;
  const W w = s * s;
  const W r = w * polynomial(w, {0.6666666666666737, 0.39999999999393426, 0.285714287474948,
                                 0.22222198011864633, 0.1818359534044553, 0.15313212109842622,
                                 0.14804769168980578});
  const W a = k * x.constant(6.93147180369123816490e-01);
  const W b = s_high + s_high;
  const W sum = a + b;
  // |a| > |b| unless k is 0, and then a is 0.
  const W lost = select(k == x.constant(0.0), x.constant(0.0), b - (sum - a));
  const W low = lost + (fma(k, x.constant(1.90821492927058770002e-10), s_low + s_low) + s * r);
  const W high = sum + low;
  return {high, low - (high - sum)};
}

/// x^y for finite positive x.
template <class W>
W pow_positive(W x, W y) {
  // Beyond 2^64 any y gives 0, 1 or infinity; clamped, so that no product overflows.
  const W limit = y.constant(0x1p64);
  y = select(y > limit, limit, y);
  y = select(y < -limit, -limit, y);
  const auto [high, low] = log_pair(x);
  const W p = y * high;
  const W y_high = head(y);
  const W y_low = y - y_high;
  const W h_high = head(high);
  const W h_low = high - h_high;
  const W error = ((y_high * h_high - p) + y_high * h_low + y_low * h_high) + y_low * h_low;
  const W correction = fma(y, low, error);
  const auto in_range = abs(p) < p.constant(800.0);
  return exp_corrected(p, select(in_range, correction, p.constant(0.0)), 0.0);
}

/// C's pow, with all its special cases for zeros, infinities and negative values.
template <class V>
V pow(V x, V y) {
  const V zero = x.constant(0.0);
  const V one = x.constant(1.0);
  const V infinity = x.constant(std::numeric_limits<double>::infinity());
  const V a = abs(x);
  // f64 has extra bits for an f32 result.
  V result = is_wide(x) ? pow_positive(a, y) : converted(exp(widened(y) * log(widened(a))), x);
  const V rising = select(y > zero, infinity, zero);
  const V falling = select(y > zero, zero, infinity);
  result = select(a == one, one, result);
  result = select(a == infinity, rising, result);
  result = select(a == zero, falling, result);

  const V half = y * y.constant(0.5);
  const auto whole = floor(y) == y;
  const auto odd = whole & (floor(half) != half);
  const V nan = x.constant(std::numeric_limits<double>::quiet_NaN());
  const auto minus = with_sign(one, x) < zero;
  // Infinite powers are integers here, and inf / 2 is inf: even.
  result = select(minus & odd, -result, result);
  result = select((x < zero) & !whole & (a != infinity), nan, result);
  result = select((x == x) & (y == y), result, nan);
  return select((x == one) | (y == zero), one, result);
}

/// Integer power by squaring, wrapping around; negative powers are 0 except for x = 1 and -1.
template <class V>
V integer_pow(V x, V y) {
  const V zero = x.constant(0);
  const V one = x.constant(1);
  V result = one;
  V power = x;
  const int exponent_bits = 8 * static_cast<int>(size_of(x.type())) - (x.type() != DType::u8);
  for (int i = 0; i < exponent_bits; ++i) {
    const V bit = shift_right(y, i) & one;
    result = result * select(bit != zero, power, one);
    power = power * power;
  }
  const V minus_one = x.constant(-1);
  // An integer reciprocal; -1 to an odd negative power is -1, which result already holds.
  const V reciprocal = select((x == one) | (x == minus_one), result, zero);
  return select(y < zero, reciprocal, result);
}

/// sqrt(x^2 + y^2), scaled by a power of two so that squares neither overflow nor underflow.
template <class V>
V hypot(V x, V y) {
  const bool wide = is_wide(x);
  const V a = abs(x);
  const V b = abs(y);
  const V larger = select(a > b, a, b);
  const V one = x.constant(1.0);
  const auto huge = larger > x.constant(wide ? 0x1p500 : 0x1p60);
  const auto tiny = larger < x.constant(wide ? 0x1p-450 : 0x1p-50);
  const V up = x.constant(wide ? 0x1p600 : 0x1p80);
  const V down = x.constant(wide ? 0x1p-600 : 0x1p-80);
  const V scale = select(huge, down, select(tiny, up, one));
  const V back = select(huge, up, select(tiny, down, one));
  const V p = a * scale;
  const V q = b * scale;
  const V root = sqrt(p * p + q * q) * back;
  const V infinity = x.constant(std::numeric_limits<double>::infinity());
  return select((a == infinity) | (b == infinity), infinity, root);
}

/// The remainder of x / y truncated, exactly, for x >= 0 and y > 0. Each iteration reduces the
/// quotient by 25 bits: short quotients times halves of y. If the quotient may overflow, multiples
/// of y by powers of two are subtracted first.
template <class W>
W fmod_positive(W x, W y, bool may_overflow) {
  const W far = may_overflow ? y * y.constant(0x1p700) : y;
  const W farther = may_overflow ? far * y.constant(0x1p700) : y;
  const auto unfinished = [&](W r) { return abs(r) >= y; };
  const auto turn = [&](W r) {
    const W a = abs(r);
    const W divisor = may_overflow ? select(a >= farther, farther, select(a >= far, far, y)) : y;
    const W high = head(divisor);
    const W q = trunc(head(r / divisor));
    return (r - q * high) - q * (divisor - high);
  };
  const W r = while_any(x, unfinished, turn);
  // A quotient that was rounded up leaves a negative remainder.
  return select(r < x.constant(0.0), r + y, r);
}

/// C's fmod: with the sign of x, nan for y = 0 and infinite x.
template <class V>
V fmod(V x, V y) {
  const V infinity = x.constant(std::numeric_limits<double>::infinity());
  const V a = abs(x);
  const V b = abs(y);
  const V r = converted(fmod_positive(widened(a), widened(b), is_wide(x)), x);
  const V result = select(a < b, x, with_sign(r, x));
  const V nan = x.constant(std::numeric_limits<double>::quiet_NaN());
  return select((a < infinity) & (b > x.constant(0.0)), result, nan);
}

}  // namespace tide::math
