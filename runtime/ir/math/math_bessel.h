// Modified Bessel functions of the first kind, of order 0 and 1. Also computed in f64 for f32: they
// are rarely used.
#pragma once

#include "runtime/ir/math/math_exponential.h"

namespace tide::math {

/// exp(-x) I(x), for x >= 0, from the coefficients of two forms: below 15 the power series in x^2 /
/// 4 (Abramowitz and Stegun 9.6.10), whose terms all have the same sign; above it I(x) exp(-x)
/// sqrt(x), fitted in 15 / x.
template <class W>
W bessel_scaled(W x, bool first, std::initializer_list<double> series,
                std::initializer_list<double> tail) {
  const W limit = x.constant(15.0);
  const W low = select(x < limit, x, limit);
  W sum = polynomial(low * low * x.constant(0.25), series);
  if (first) sum = sum * low;
  const W high = select(x < limit, limit, x);
  const W place = x.constant(30.0) / high - x.constant(1.0);
  return select(x < limit, sum * exp(-low), polynomial(place, tail) / sqrt(high));
}

/// exp(-|x|) I0(x).
template <class W>
W i0e_wide(W x) {
  const W y = bessel_scaled(
      abs(x), false,
      {1,
       1,
       0.25,
       0.027777777777777776,
       0.001736111111111111,
       6.9444444444444444e-05,
       1.9290123456790124e-06,
       3.9367598891408417e-08,
       6.1511873267825652e-10,
       7.5940584281266239e-12,
       7.5940584281266234e-14,
       6.2760813455591933e-16,
       4.358389823304995e-18,
       2.5789288895295828e-20,
       1.3157800456783586e-22,
       5.8479113141260385e-25,
       2.2843403570804838e-27,
       7.904291893012054e-30,
       2.4395962632753253e-32,
       6.7578843858042255e-35,
       1.6894710964510564e-37,
       3.8310002187098785e-40,
       7.9152897080782617e-43,
       1.4962740468957016e-45,
       2.5976979980828152e-48,
       4.1563167969325042e-51,
       6.1483976285983796e-54,
       8.434015951438106e-57,
       1.0757673407446564e-59,
       1.2791526049282477e-62,
       1.4212806721424974e-65,
       1.4789601166935458e-68,
       1.4442969889585408e-71,
       1.3262598613026087e-74,
       1.1472836170437791e-77,
       9.3655805472961564e-81,
       7.2265282000741943e-84,
       5.2786911614858978e-87},
      {0.40063684878387018, 0.0017280825606888789, 3.4788161993668296e-05, 1.3480636242844731e-06,
       8.0024557366459379e-08, 6.5664175607090837e-09, 7.0355915617917394e-10,
       9.5068348991827169e-11, 1.5879366464416497e-11, 3.23473488482898e-12, 7.3264404767881943e-13,
       1.9897942515970586e-13, 1.491100879889049e-13, 8.592291104535448e-14,
       -3.0803919964071839e-15, -1.2964981857131454e-14});
  return select(x == x, y, x);
}

/// exp(-|x|) I1(x).
template <class W>
W i1e_wide(W x) {
  const W y =
      bessel_scaled(abs(x), true,
                    {0.5,
                     0.25,
                     0.041666666666666664,
                     0.003472222222222222,
                     0.00017361111111111112,
                     5.7870370370370367e-06,
                     1.3778659611992944e-07,
                     2.4604749307130261e-09,
                     3.4173262926569807e-11,
                     3.7970292140633116e-13,
                     3.4518447400575561e-15,
                     2.615033893982997e-17,
                     1.676303778194229e-19,
                     9.2104603197485101e-22,
                     4.3859334855945287e-24,
                     1.827472285664387e-26,
                     6.7186481090602457e-29,
                     2.1956366369477928e-31,
                     6.419990166514014e-34,
                     1.6894710964510563e-36,
                     4.0225502296453721e-39,
                     8.706818678886087e-42,
                     1.7207151539300568e-44,
                     3.1172375976993783e-47,
                     5.1953959961656306e-50,
                     7.9929169171778929e-53,
                     1.1385921534441443e-55,
                     1.5060742770425188e-58,
                     1.8547712771459592e-61,
                     2.1319210082137464e-64,
                     2.2923881808749958e-67,
                     2.3108751823336653e-70,
                     2.1883287711493042e-73,
                     1.9503821489744245e-76,
                     1.6389765957768272e-79,
                     1.3007750760133549e-82,
                     9.7655786487489113e-86,
                     6.9456462651130232e-89},
                    {0.39390196521878273, -0.0050955243432326122, -5.6968996702172938e-05,
                     -1.8537002679345051e-06, -1.0101756119395573e-07, -7.8762262149894588e-09,
                     -8.1560527262616637e-10, -1.0754123172199121e-10, -1.7630006347860679e-11,
                     -3.538612997836447e-12, -7.9491844104864675e-13, -2.1393459510137013e-13,
                     -1.5613524385967195e-13, -8.9755779960449042e-14, 2.5884889957882828e-15,
                     1.3233689198710193e-14});
  return select(x == x, select(x < x.constant(0.0), -y, y), x);
}

/// y exp(|x|), even if exp(|x|) alone overflows.
template <class W>
W times_exp(W y, W x) {
  const W half = exp(abs(x) * x.constant(0.5));
  return y * half * half;
}

template <class V>
V i0e(V x) {
  return converted(i0e_wide(widened(x)), x);
}
template <class V>
V i1e(V x) {
  return converted(i1e_wide(widened(x)), x);
}
template <class V>
V i0(V x) {
  const auto wide = widened(x);
  return converted(times_exp(i0e_wide(wide), wide), x);
}
template <class V>
V i1(V x) {
  const auto wide = widened(x);
  return converted(times_exp(i1e_wide(wide), wide), x);
}

}  // namespace tide::math
