// Bessel functions of order 0 and 1: J, Y and, modified, K. Also computed in f64 for f32: they are
// rarely used. Coefficients are those of Chebyshev interpolants, as powers of a variable in -1..1.
#pragma once

#include <limits>

#include "runtime/ir/math/math_exponential.h"
#include "runtime/ir/math/math_logarithm.h"
#include "runtime/ir/math/math_trigonometric.h"

namespace tide::math {

/// x clamped to the limit, so that a formula that is used below it does not overflow above.
template <class W>
W at_most(W x, double limit) {
  return select(x < x.constant(limit), x, x.constant(limit));
}
template <class W>
W at_least(W x, double limit) {
  return select(x < x.constant(limit), x.constant(limit), x);
}

/// A function of x^2 for x up to `limit`.
template <class W>
W even_series(W x, double limit, std::initializer_list<double> coefficients) {
  return polynomial(x * x * x.constant(2 / (limit * limit)) - x.constant(1.0), coefficients);
}

/// Below this J and Y are series; above it waves with slowly varying phase and amplitude
/// (Abramowitz and Stegun 9.2.5).
constexpr double kBesselWaves = 8;

/// p cosine - q sine for x >= kBesselWaves, over sqrt(pi x); p and q are functions of 1 / x^2.
template <class W>
W bessel_wave(W x, W cosine, W sine, std::initializer_list<double> p,
              std::initializer_list<double> q) {
  const W z = x.constant(kBesselWaves) / x;
  const W place = x.constant(2.0) * z * z - x.constant(1.0);
  const W sum = polynomial(place, p) * cosine - polynomial(place, q) * z * sine;
  return sum / sqrt(x * x.constant(3.141592653589793));
}

template <class W>
W j0_below(W x) {
  return even_series(
      x, kBesselWaves,
      {0.04582966485981377, 0.9303012472958572, -0.6484692830871837, -0.808088807669687,
       1.0383794611437211, -0.507468045847102, 0.14598884856759264, -0.028472718610869575,
       0.004058078989140991, -0.00044354592247271616, 3.8473197855944406e-05,
       -2.7177491450348606e-06, 1.595610910454382e-07, -7.91540772613074e-09, 3.363447579149498e-10,
       -1.238464418210802e-11, 4.003763198544757e-13, -1.1380595432215676e-14});
}
template <class W>
W j1_below(W x) {
  return x * even_series(x, kBesselWaves,
                         {-0.05814382795599107, 0.08105866038589796, 0.15151665143806634,
                          -0.2595948652859303, 0.15858376432721938, -0.05474581821284722,
                          0.012456814392255438, -0.0020290394945705996, 0.00024949458139090494,
                          -2.4045748659686983e-05, 1.8684525372057272e-06, -1.1967081867872172e-07,
                          6.431268785753088e-09, -2.943013798390916e-10, 1.1610597914042965e-11,
                          -4.004572738786147e-13, 1.2093613396338289e-14});
}

/// sin and cos of x - pi / 4, times sqrt(2).
template <class W>
SineCosine<W> eighth_turn_back(W x) {
  const W s = sin(x), c = cos(x);
  return {s - c, s + c};
}

/// The wave of order 0 and, below, the one of order 1, for a given phase.
template <class W>
W order0_wave(W x, W cosine, W sine) {
  return bessel_wave(
      x, cosine, sine,
      {0.9994572757882519, -0.0005363673192130033, 6.137416080111143e-06, -2.052744816021978e-07,
       1.2803761421389911e-08, -1.2121178913027262e-09, 1.5500573849457377e-10,
       -2.4883792349430343e-11, 4.786833648457065e-12, -1.061860361827791e-12,
       2.454626647456918e-13, -6.563491590174781e-14, 3.334599531685773e-14,
       -1.1346926815291663e-14},
      {-0.01555511387951352, 6.83314909934392e-05, -1.477138832591472e-06, 7.106214856811922e-08,
       -5.668716993586103e-09, 6.432785773648844e-10, -9.469840948077304e-11, 1.703066004617455e-11,
       -3.6048433228612124e-12, 8.668139835284154e-13, -2.099758563065514e-13,
       5.929898206834386e-14, -3.4113236146637735e-14, 1.219514188391054e-14});
}
template <class W>
W order1_wave(W x, W cosine, W sine) {
  return bessel_wave(
      x, cosine, sine,
      {1.0009070262780821, 0.0008988049416705564, -7.95969469844003e-06, 2.453676622679369e-07,
       -1.4708512970871809e-08, 1.3603054724512454e-09, -1.713108363257052e-10,
       2.7205216071451606e-11, -5.190987549128526e-12, 1.1443000350441976e-12,
       -2.635099411586755e-13, 7.019004954768849e-14, -3.5404613525657416e-14,
       1.2012721775449965e-14},
      {0.04677687402744898, -9.621458822054462e-05, 1.8212018511696138e-06, -8.291960706171709e-08,
       6.420133494245422e-09, -7.151109688895056e-10, 1.039449369627048e-10, -1.85220905861051e-11,
       3.892783101307446e-12, -9.308675106308984e-13, 2.248080209615115e-13, -6.327191570730754e-14,
       3.613838965220232e-14, -1.2885173339953764e-14});
}

template <class W>
W j0_wide(W x) {
  const W size = abs(x), high = at_least(size, kBesselWaves);
  const auto [s, c] = eighth_turn_back(high);
  const W y = select(size < x.constant(kBesselWaves), j0_below(at_most(size, kBesselWaves)),
                     order0_wave(high, c, s));
  return select(x == x, y, x);
}

template <class W>
W j1_wide(W x) {
  const W size = abs(x), high = at_least(size, kBesselWaves);
  const auto [s, c] = eighth_turn_back(high);
  const W y = select(size < x.constant(kBesselWaves), j1_below(at_most(size, kBesselWaves)),
                     order1_wave(high, s, -c));
  const W odd = select(x < x.constant(0.0), -y, y);
  return select((x == x) & !(x == x.constant(0.0)), odd, x);
}

template <class W>
W y0_wide(W x) {
  const W low = at_most(x, kBesselWaves), high = at_least(x, kBesselWaves);
  const auto [s, c] = eighth_turn_back(high);
  const W series = even_series(
      low, kBesselWaves,
      {-0.382250654459425, -0.8284358903604587, 1.6470964788745466, 0.14412632369302442,
       -1.0775477338215995, 0.6721770783431723, -0.21895747096171628, 0.046367047681347105,
       -0.0070257410572709695, 0.0008061586060550506, -7.279541882454126e-05, 5.321318633761208e-06,
       -3.218507844592323e-07, 1.6391065240160875e-08, -7.130461466149226e-10,
       2.6818237435502344e-11, -8.840111900737966e-13, 2.5576616218907466e-14});
  const W below = j0_below(low) * log(low) * x.constant(0.6366197723675814) + series;
  const W y = select(x < x.constant(kBesselWaves), below, order0_wave(high, s, -c));
  return select(x == x, y, x);
}

template <class W>
W y1_wide(W x) {
  const W low = at_most(x, kBesselWaves), high = at_least(x, kBesselWaves);
  const auto [s, c] = eighth_turn_back(high);
  const W series =
      low * even_series(low, kBesselWaves,
                        {0.07075985882118005, -0.24337743079193114, 0.023367571720993584,
                         0.23507209206669755, -0.19639839859930425, 0.07854786922242545,
                         -0.019628756833099423, 0.0034224907399180455, -0.00044381734351149876,
                         4.4674330129143775e-05, -3.6009998743578177e-06, 2.3804929913727272e-07,
                         -1.3153322551124148e-08, 6.16974260611845e-10, -2.488750990528334e-11,
                         8.728814257439169e-13, -2.6951389107285232e-14, 7.338090945282559e-16});
  const W one = x.constant(1.0);
  const W below = (j1_below(low) * log(low) - one / low) * x.constant(0.6366197723675814) + series;
  const W y = select(x < x.constant(kBesselWaves), below, order1_wave(high, -c, -s));
  const W infinity = x.constant(-std::numeric_limits<double>::infinity());
  return select(x == x.constant(0.0), infinity, select(x == x, y, x));
}

/// Below this K is I log(x) plus a series; above it exp(-x) / sqrt(x) times a function of 1 / x.
constexpr double kBesselTail = 2;

/// exp(x) K0(x), or K1, for x >= kBesselTail.
template <class W>
W k_tail(W x, std::initializer_list<double> coefficients) {
  const W place = x.constant(2 * kBesselTail) / x - x.constant(1.0);
  return polynomial(place, coefficients) / sqrt(x);
}

/// K0(x), multiplied by exp(x) if `scaled`.
template <class W>
W k0_wide(W x, bool scaled) {
  const W low = at_most(x, kBesselTail), high = at_least(x, kBesselTail);
  const W half = low * x.constant(0.5);
  const W series = even_series(
      low, kBesselTail,
      {-0.30362077291575545, 0.3404973210133806, 0.07177701034240512, 0.005053392643196092,
       0.00018280555827901256, 4.054506619948951e-06, 6.093361934166155e-08, 6.623013294285102e-10,
       5.45210758801694e-12, 3.518416609353651e-14, 1.8282990225823977e-16, 7.814781857140499e-19});
  const W below =
      series - log(half) * polynomial(half * half, {1.0, 1.0, 0.25, 0.027777777777777776,
                                                    0.001736111111111111, 6.944444444444444e-05,
                                                    1.9290123456790124e-06, 3.936759889140842e-08,
                                                    6.151187326782565e-10, 7.594058428126624e-12,
                                                    7.594058428126623e-14, 6.276081345559193e-16,
                                                    4.358389823304995e-18, 2.5789288895295828e-20});
  const W tail =
      k_tail(high, {1.2185953385133905,      -0.031071461824889558,   0.0030328918102738114,
                    -0.0004797690567621869,  9.956054749222072e-05,   -2.4735204685849812e-05,
                    7.002244303330549e-06,   -2.191176013502258e-06,  7.427930662849315e-07,
                    -2.6892080372518763e-07, 1.0288069483966884e-07,  -4.126918522291483e-08,
                    1.7312995045968196e-08,  -7.512457819393254e-09,  3.1783612286634933e-09,
                    -1.4404758651443358e-09, 1.0450469654372086e-09,  -5.418134445780214e-10,
                    -2.296305052830524e-10,  1.5340126238605654e-10,  3.796424611822554e-10,
                    -2.2303328496385004e-10, -1.5419231423351582e-10, 9.239492719735017e-11,
                    4.390754852709943e-11,   -2.582452501563754e-11});
  const W y = scaled ? select(x < x.constant(kBesselTail), below * exp(low), tail)
                     : select(x < x.constant(kBesselTail), below, tail * exp(-high));
  return select(x == x, y, x);
}

template <class W>
W k1_wide(W x, bool scaled) {
  const W low = at_most(x, kBesselTail), high = at_least(x, kBesselTail);
  const W half = low * x.constant(0.5), one = x.constant(1.0);
  const W series =
      low * even_series(low, kBesselTail,
                        {-0.057455856135205326, -0.10866462148495122, -0.013254642948920608,
                         -0.0006724746609653153, -1.9109762342337995e-05, -3.495829795099795e-07,
                         -4.473708999196653e-09, -4.2354774966542416e-11, -3.089007150998784e-13,
                         -1.7895729102464416e-15, -8.437124146317762e-18, -3.300543696567628e-20});
  const W first =
      low *
      polynomial(half * half,
                 {0.5, 0.25, 0.041666666666666664, 0.003472222222222222, 0.00017361111111111112,
                  5.787037037037037e-06, 1.3778659611992944e-07, 2.460474930713026e-09,
                  3.417326292656981e-11, 3.7970292140633116e-13, 3.451844740057556e-15,
                  2.615033893982997e-17, 1.676303778194229e-19, 9.21046031974851e-22});
  const W below = one / low + log(half) * first + series;
  const W tail =
      k_tail(high, {1.363151890371342,       0.10334973775386527,     -0.005566729880072949,
                    0.000735724154903766,    -0.0001395902196408485,  3.284386569308467e-05,
                    -8.961205929611785e-06,  2.730039509989776e-06,   -9.067228220802146e-07,
                    3.229965620159241e-07,   -1.21951894454213e-07,   4.838602136498907e-08,
                    -2.0105919367047817e-08, 8.654462540906392e-09,   -3.6475900600687235e-09,
                    1.644089713355689e-09,   -1.166820125045468e-09,  6.014360573864588e-10,
                    2.420762534801533e-10,   -1.6272853347015717e-10, -4.1258147760560677e-10,
                    2.4182967169209887e-10,  1.6685782786246503e-10,  -9.982856117524016e-11,
                    -4.7692737490629826e-11, 2.7995703082404277e-11});
  const W y = scaled ? select(x < x.constant(kBesselTail), below * exp(low), tail)
                     : select(x < x.constant(kBesselTail), below, tail * exp(-high));
  const W infinity = x.constant(std::numeric_limits<double>::infinity());
  return select(x == x.constant(0.0), infinity, select(x == x, y, x));
}

template <class V>
V bessel_j0(V x) {
  return converted(j0_wide(widened(x)), x);
}
template <class V>
V bessel_j1(V x) {
  return converted(j1_wide(widened(x)), x);
}
template <class V>
V bessel_y0(V x) {
  return converted(y0_wide(widened(x)), x);
}
template <class V>
V bessel_y1(V x) {
  return converted(y1_wide(widened(x)), x);
}
template <class V>
V bessel_k0(V x) {
  return converted(k0_wide(widened(x), false), x);
}
template <class V>
V bessel_k1(V x) {
  return converted(k1_wide(widened(x), false), x);
}
template <class V>
V bessel_k0e(V x) {
  return converted(k0_wide(widened(x), true), x);
}
template <class V>
V bessel_k1e(V x) {
  return converted(k1_wide(widened(x), true), x);
}

}  // namespace tide::math
