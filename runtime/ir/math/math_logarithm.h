// log and functions built from it: log2, log10, log1p, asinh, acosh, atanh.
#pragma once

#include <cstdint>
#include <limits>

#include "runtime/ir/math/math_basic.h"

namespace tide::math {

/// x = 2^k m with m in [sqrt(1/2), sqrt(2)), for positive normal x.
template <class V>
struct LogParts {
  V k, m;
};
template <class V>
constexpr LogParts<V> log_parts(V x) {
  const bool wide = is_wide(x);
  const int64_t one = wide ? 0x3ff0000000000000 : 0x3f800000;
  const int64_t root = wide ? 0x3fe6a09e667f3bcd : 0x3f3504f3;  // sqrt(1/2)
  const int64_t exponents = wide ? 0x7ff0000000000000 : 0x7f800000;
  const int64_t magic = wide ? 0x4338000000000000 : 0x4b400000;  // rounding_number as bits
  const auto pattern = bits(x);
  const auto i = pattern + pattern.constant(one - root);
  const auto exponent = shift_right(i & i.constant(exponents), wide ? 52 : 23);
  const V k = float_bits(exponent + i.constant(magic)) -
              x.constant(rounding_number(x) + (wide ? 1023 : 127));
  return {k,
          float_bits((i & i.constant(wide ? 0x000fffffffffffff : 0x007fffff)) + i.constant(root))};
}

/// Like log_parts, but for any positive x, including subnormals.
template <class V>
constexpr LogParts<V> log_parts_with_denormals(V x) {
  const bool wide = is_wide(x);
  const auto small = x < x.constant(wide ? 2.2250738585072014e-308 : 1.1754943508222875e-38);
  const double shift = wide ? 54.0 : 24.0;
  auto [k, m] = log_parts(select(small, x * x.constant(wide ? 0x1p54 : 0x1p24), x));
  return {k - select(small, k.constant(shift), k.constant(0.0)), m};
}

/// log(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)], plus `correction`, arranged for a small rounding
/// error of the sum: f - (f^2 / 2 - ...). f64 follows fdlibm's e_log.c with s = f / (2 + f).
template <class V>
constexpr V log1p_reduced(V f, V correction) {
  const V half_square = f * f * f.constant(0.5);
  if (is_wide(f)) {
    const V s = f / (f + f.constant(2.0));
    const V w = s * s;
    const V r = w * polynomial(w, {0.6666666666666737, 0.39999999999393426, 0.285714287474948,
                                   0.22222198011864633, 0.1818359534044553, 0.15313212109842622,
                                   0.14804769168980578});
    return f - (half_square - (s * (half_square + r) + correction));
  }
  const V p = polynomial(f, {0.333333105, -0.249999866, 0.20002225, -0.16669251, 0.142186686,
                             -0.12384326, 0.118729845, -0.117901258, 0.0691567287});
  return f - (half_square - (f * f * f * p + correction));
}

/// k ln 2 + log(1 + f) + correction; ln 2 is split so that k * high is exact.
template <class V>
constexpr V log_sum(V k, V f, V correction) {
  const double high = is_wide(k) ? 6.93147180369123816490e-01 : 0.693359375;
  const double low = is_wide(k) ? 1.90821492927058770002e-10 : -2.1219444005469058e-4;
  return fma(k, k.constant(high), log1p_reduced(f, fma(k, k.constant(low), correction)));
}

/// `y` with the special cases of logarithms: -inf at 0, nan below, inf at inf.
template <class V>
constexpr V log_borders(V x, V y) {
  const V zero = x.constant(0.0);
  const V infinity = x.constant(std::numeric_limits<double>::infinity());
  y = select(x == infinity, infinity, y);
  y = select(x == zero, -infinity, y);
  return select(x >= zero, y, x.constant(std::numeric_limits<double>::quiet_NaN()));
}

template <class V>
constexpr V log(V x) {
  const auto [k, m] = log_parts_with_denormals(x);
  return log_borders(x, log_sum(k, m - m.constant(1.0), x.constant(0.0)));
}

/// k is added separately, so that powers of two are exact.
template <class V>
constexpr V log2(V x) {
  const auto [k, m] = log_parts_with_denormals(x);
  const V l = log1p_reduced(m - m.constant(1.0), m.constant(0.0));
  return log_borders(x, fma(l, l.constant(1.4426950408889634), k));
}

template <class V>
constexpr V log10(V x) {
  const auto [k, m] = log_parts_with_denormals(x);
  const V l = log1p_reduced(m - m.constant(1.0), m.constant(0.0));
  // log10(2); its upper part is short enough for an exact product with k.
  const double high = is_wide(x) ? 3.01029995663611771306e-01 : 0.301025390625;
  const double low = is_wide(x) ? 3.69423907715893078616e-13 : 4.605038981195214e-06;
  const V low_part = fma(k, k.constant(low), l * l.constant(0.4342944819032518));
  return log_borders(x, fma(k, k.constant(high), low_part));
}

/// log(1 + x), with full relative accuracy near 0: the rounding error of 1 + x becomes the
/// correction (fdlibm's s_log1p.c).
template <class V>
constexpr V log1p(V x) {
  const V one = x.constant(1.0);
  const V u = one + x;
  const auto [k, m] = log_parts(u);
  const V lost = select(x > one, one - (u - x), x - (u - one));
  const auto near = k == k.constant(0.0);
  const V f = select(near, x, m - one);
  const V correction = select(near, x.constant(0.0), lost / u);
  return select(x == x.constant(0.0), x, log_borders(u, log_sum(k, f, correction)));
}

/// log1p(|x| + x^2 / (1 + sqrt(1 + x^2))); log(2 |x|) for large x, where x^2 might overflow.
template <class V>
constexpr V asinh(V x) {
  const V a = abs(x);
  const auto large = a > a.constant(is_wide(x) ? 0x1p28 : 0x1p14);
  const V one = a.constant(1.0);
  const V z = a * a;
  const V t = a + z / (one + sqrt(one + z));
  const V y = log1p(select(large, a - one, t)) + select(large, a.constant(kLn2), a.constant(0.0));
  return with_sign(y, x);
}

/// With t = x - 1: log1p(t + sqrt(2 t + t^2)); log(2 x) for large x.
template <class V>
constexpr V acosh(V x) {
  const V t = x - x.constant(1.0);
  const auto large = x > x.constant(is_wide(x) ? 0x1p28 : 0x1p14);
  // Below 1, t itself is negative, so that its root is nan.
  const V square = select(t < t.constant(0.0), t, t * (t + t.constant(2.0)));
  const V y = log1p(select(large, t, t + sqrt(square)));
  return y + select(large, x.constant(kLn2), x.constant(0.0));
}

/// log1p(2 |x| / (1 - |x|)) / 2.
template <class V>
constexpr V atanh(V x) {
  const V a = abs(x);
  return with_sign(log1p((a + a) / (a.constant(1.0) - a)) * a.constant(0.5), x);
}

}  // namespace tide::math
