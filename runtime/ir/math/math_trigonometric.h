// sin, cos, tan and their inverses.
#pragma once

#include <limits>

#include "runtime/ir/math/large_argument.h"
#include "runtime/ir/math/math_basic.h"

namespace tide::math {

/// x = quadrant * pi / 2 + r (mod 2 pi), |r| <= pi / 4, quadrant 0, 1, 2 or 3.
template <class V>
struct Quadrant {
  V number, r;
};

/// pi / 2 in three parts of 33, 33 and 53 bits (fdlibm's e_rem_pio2.c), k in two of 20: all
/// products except the last are exact for |x| < 1e12, where r is accurate to 2^-53. Larger angles,
/// and infinities, use large_argument.h.
template <class W>
Quadrant<W> reduce_angle(W given) {
  const auto far = abs(given) > given.constant(kLargeArgument);
  const W x = select(far, given.constant(0.0), given);
  const W k = nearest(x * x.constant(0.6366197723675814));
  const W step = x.constant(0x1p20);
  const W upper = nearest(k * x.constant(0x1p-20)) * step;
  const W lower = k - upper;
  const W p1 = x.constant(-1.57079632673412561417e+00);
  const W p2 = x.constant(-6.07710050630396597660e-11);
  const W p3 = x.constant(-2.02226624879595063154e-21);
  W r = fma(lower, p1, fma(upper, p1, x));
  r = fma(lower, p2, fma(upper, p2, r));
  r = fma(k, p3, r);
  const auto [number, reduced] =
      reduce_large_arguments(far, given, {k - x.constant(4.0) * floor(k * x.constant(0.25)), r});
  return {number, reduced};
}

/// sin and cos of |r| <= pi / 4; minimax polynomials.
template <class V>
struct SineCosine {
  V sine, cosine;
};
template <class V>
SineCosine<V> sine_cosine(V r) {
  const bool wide = is_wide(r);
  const V z = r * r;
  const V s =
      wide ? polynomial(z, {-0.16666666666666632, 0.008333333333322429, -0.0001984126982977825,
                            2.7557313671600686e-06, -2.505075373802035e-08, 1.589648623799834e-10})
           : polynomial(z, {-0.166666552, 0.00833218917, -0.000195181899});
  const V c =
      wide
          ? polynomial(z, {0.041666666666666595, -0.0013888888888873403, 2.4801587289056113e-05,
                           -2.755731423407626e-07, 2.0875707665373897e-09, -1.1358857229645582e-11})
          : polynomial(z, {0.0416666456, -0.00138873118, 2.44327148e-05});
  // 1 - z / 2 loses bits; they are added with the remainder of the series (fdlibm's k_cos.c).
  const V one = r.constant(1.0);
  const V half_square = z * r.constant(0.5);
  const V w = one - half_square;
  return {fma(r * z, s, r), w + ((one - w - half_square) + z * z * c)};
}

/// Angles are reduced in f64 for f32 too: the three parts of pi / 2 would be six in f32.
template <class V>
Quadrant<V> quadrant_of(V x) {
  const auto reduced = reduce_angle(widened(x));
  return {converted(reduced.number, x), converted(reduced.r, x)};
}

template <class V>
V sin(V x) {
  const auto [q, r] = quadrant_of(x);
  const auto [s, c] = sine_cosine(r);
  const V one = x.constant(1.0);
  const V y = select((q == one) | (q == x.constant(3.0)), c, s);
  const V result = select(q > one, -y, y);
  return select(x == x.constant(0.0), x, result);  // keeps the sign of zero
}

template <class V>
V cos(V x) {
  const auto [q, r] = quadrant_of(x);
  const auto [s, c] = sine_cosine(r);
  const V one = x.constant(1.0);
  const V two = x.constant(2.0);
  const V y = select((q == one) | (q == x.constant(3.0)), s, c);
  return select((q == one) | (q == two), -y, y);
}

template <class V>
V tan(V x) {
  const auto [q, r] = quadrant_of(x);
  const auto [s, c] = sine_cosine(r);
  const auto odd = (q == x.constant(1.0)) | (q == x.constant(3.0));
  const V result = select(odd, -c, s) / select(odd, s, c);
  return select(x == x.constant(0.0), x, result);
}

/// asin(x) for |x| <= 1/2, given z = x^2; minimax polynomial.
template <class V>
V asin_small(V x, V z) {
  const V p =
      is_wide(x)
          ? polynomial(z, {0.16666666666665375, 0.07500000000344872, 0.04464285682195105,
                           0.03038195939558837, 0.02237175195027671, 0.01735979529516572,
                           0.013884354950895112, 0.012174908128991834, 0.006503681486572592,
                           0.01959387477199156, -0.016325933297186197, 0.031981155694954556})
          : polynomial(z, {0.166667536, 0.0749524981, 0.0454765335, 0.0241488218, 0.0422185659});
  return fma(x * z, p, x);
}

/// asin(sqrt(z)) of small z: either x^2, or (1 - |x|) / 2 by the half-angle formula.
template <class V>
struct ArcSine {
  typename V::Mask small;
  V angle;
};
template <class V>
ArcSine<V> arc_sine(V x) {
  const V a = abs(x);
  const V half = x.constant(0.5);
  const auto small = a <= half;
  const V z = select(small, a * a, (x.constant(1.0) - a) * half);
  return {small, asin_small(select(small, a, sqrt(z)), z)};
}

template <class V>
V asin(V x) {
  const auto [small, angle] = arc_sine(x);
  return with_sign(select(small, angle, x.constant(kPi / 2) - (angle + angle)), x);
}

template <class V>
V acos(V x) {
  const auto [small, angle] = arc_sine(x);
  const V twice = angle + angle;
  const auto negative = x < x.constant(0.0);
  const V outer = select(negative, x.constant(kPi) - twice, twice);
  return select(small, x.constant(kPi / 2) - with_sign(angle, x), outer);
}

/// atan(a / b) for a, b >= 0: reduced by 0, 1 or infinity to |t| <= tan(pi / 8), with one division.
template <class V>
V atan_quotient(V a, V b) {
  const V tangent = a.constant(0.4142135623730951);
  const auto small = a <= b * tangent;
  const auto large = b <= a * tangent;
  const V zero = a.constant(0.0);
  // Near 1 both sums might overflow; a quarter of them does not.
  const V quarter = select(a > a.constant(1.0), a.constant(0.25), a.constant(1.0));
  const V numerator = select(small, a, select(large, -b, (a * quarter) - (b * quarter)));
  const V denominator = select(small, b, select(large, a, (a * quarter) + (b * quarter)));
  const V base = select(small, zero, a.constant(kPi / 4));
  const V t = numerator / denominator;
  const V z = t * t;
  const V p =
      is_wide(a)
          ? polynomial(z, {-0.333333333333332, 0.1999999999995377, -0.14285714280212414,
                           0.11111110784161232, -0.0909089777559824, 0.07692060494341321,
                           -0.06663106797139955, 0.05847906201547847, -0.05039367043696319,
                           0.0380658017934701, -0.017908203616842745})
          : polynomial(z, {-0.333333164, 0.199985325, -0.142445028, 0.106000431, -0.0609222613});
  return select(large, a.constant(kPi / 2), base) + fma(t * z, p, t);
}

template <class V>
V atan(V x) {
  return with_sign(atan_quotient(abs(x), x.constant(1.0)), x);
}

/// The angle of the point (x, y), from -pi to pi, as C's atan2 also at zeros and infinities.
template <class V>
V atan2(V y, V x) {
  const V infinity = x.constant(std::numeric_limits<double>::infinity());
  const V zero = x.constant(0.0);
  const V one = x.constant(1.0);
  V a = abs(y);
  V b = abs(x);
  // inf / inf is 1 and 0 / 0 is 0.
  const auto both = (a == infinity) & (b == infinity);
  a = select(both, one, a);
  b = select(both, one, b);
  b = select((a == zero) & (b == zero), one, b);
  const V angle = atan_quotient(a, b);
  // The sign of x counts even if it is a zero.
  const auto left = with_sign(one, x) < zero;
  const V result = with_sign(select(left, x.constant(kPi) - angle, angle), y);
  return select((x == x) & (y == y), result, x + y);
}

}  // namespace tide::math
