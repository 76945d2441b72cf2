// Airy's function Ai.
#include "runtime/ops/math/airy.h"

#include <cmath>
#include <numbers>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/elementwise/elementwise.h"

namespace tide {
namespace {

/// The limits between the polynomial for small arguments and the asymptotic forms.
constexpr double kLeast = -3.5, kMost = 1.0;

/// c[0] + c[1] x + ... by Horner's rule.
template <size_t kCount>
Tensor polynomial(const Tensor& x, const double (&c)[kCount]) {
  Tensor sum = x * c[kCount - 1] + c[kCount - 2];
  for (size_t i = kCount - 2; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

/// 2 / 3 x^(3/2), the exponent or phase of a solution.
Tensor phase(const Tensor& x) { return x * sqrt(x) * (2.0 / 3.0); }
double phase(double x) { return x * std::sqrt(x) * (2.0 / 3.0); }

/// For x >= kMost: exp(-z) / (2 sqrt(pi) x^(1/4)) times a smooth function of 1 / z.
Tensor decaying(const Tensor& x) {
  const Tensor z = phase(x);
  const Tensor h =
      polynomial(2.0 * phase(kMost) / z - 1,
                 {0.9606660365121796,      -0.031034618880734298,   0.005701191519475224,
                  -0.0016060475718902836,  0.0005631879668260499,   -0.00022668601211579755,
                  0.0001004933419105344,   -4.788925599802014e-05,  2.4150571204038785e-05,
                  -1.2750695489677027e-05, 6.985358975646157e-06,   -3.945267998666139e-06,
                  2.3678407044215156e-06,  -1.4991681094377132e-06, 4.094324252439299e-07,
                  2.465836219605391e-07,   2.4578155618981264e-06,  -3.6998609917008257e-06,
                  -7.715191602093125e-06,  1.1837119419112244e-05,  2.18745729754695e-05,
                  -3.105720941720973e-05,  -4.59828987436882e-05,   6.169679142507204e-05,
                  7.375211898833254e-05,   -9.391081164382878e-05,  -8.919020822523223e-05,
                  0.00010839287194500169,  8.012456236206831e-05,   -9.332325251882417e-05,
                  -5.184246222427045e-05,  5.8079735709907164e-05,  2.287133207608508e-05,
                  -2.471624778844646e-05,  -6.168603271760377e-06,  6.445251306900896e-06,
                  7.708201638042734e-07,   -7.797169703333646e-07});
  return exp(neg(z)) * h * (0.5 / std::sqrt(std::numbers::pi)) / sqrt(sqrt(x));
}

/// For -x with x >= -kLeast: (sin(z + pi / 4) P - cos(z + pi / 4) Q / z) / (sqrt(pi) x^(1/4)), with
/// P and Q smooth in 1 / z^2.
Tensor oscillating(const Tensor& x) {
  const Tensor z = phase(x), angle = z + std::numbers::pi / 4;
  const Tensor argument = square(phase(-kLeast) / z) * 2 - 1;
  const Tensor p = polynomial(
      argument, {0.9990611088081194,      -0.0009069100368941386,  2.9077859884638438e-05,
                 -2.460554609744878e-06,  3.494889348014701e-07,   -6.876657045051952e-08,
                 1.693966974950931e-08,   -4.9197502293657176e-09, 1.6172913318054228e-09,
                 -5.861018347074163e-10,  2.43196062673321e-10,    -1.091736192227592e-10,
                 2.193284595978781e-11,   -1.190743521399576e-14,  3.756597678759581e-11,
                 -2.8663150222964308e-11, -1.674287760322105e-11,  1.3921345481805385e-11,
                 7.176990712300831e-12,   -5.117305048041663e-12});
  const Tensor q = polynomial(
      argument, {0.06851548746567507,     -0.0008703312347967073,  5.121177828165168e-05,
                 -6.011927232159021e-06,  1.057455598087104e-06,   -2.427706544758472e-07,
                 6.732855277378152e-08,   -2.1505672325572865e-08, 7.666580371395818e-09,
                 -2.9789378522697904e-09, 1.2413076030861137e-09,  -5.754173107721595e-10,
                 2.865711966896526e-10,   -6.316206382598275e-11,  -1.0202548903793427e-11,
                 -1.6082969287628594e-10, 1.5506959691207937e-10,  1.5715961166562424e-10,
                 -1.6160461252791583e-10, -1.441566146971268e-10,  1.3399444330760632e-10,
                 6.821511683126779e-11,   -6.058210210372979e-11,  -1.627251233213554e-11,
                 1.3445925724310707e-11});
  return (sin(angle) * p - cos(angle) * q / z) * (1 / std::sqrt(std::numbers::pi)) / sqrt(sqrt(x));
}

Tensor middle(const Tensor& x) {
  return polynomial((x - (kMost + kLeast) / 2) * (2 / (kMost - kLeast)),
                    {0.5200454774352992,      0.31292901754181496,    -1.6454563934476263,
                     0.6572315128799431,      1.164759235851908,      -1.1450909949528956,
                     0.003851188734299072,    0.48841939579329086,    -0.23335130211162286,
                     -0.04231821586731385,    0.07822309323232024,    -0.021729292859754137,
                     -0.007401791325890297,   0.006593048682595523,   -0.0011025862060228544,
                     -0.0006001553807276461,  0.0003419833268888582,  -3.2211000710530214e-05,
                     -2.941077539403255e-05,  1.1986699719622308e-05, -4.780371988444604e-07,
                     -9.789490681976854e-07,  3.0404818303668473e-07, 2.0434208525566964e-09,
                     -2.4823114775197085e-08, 5.458336485925462e-09,  6.84196009005055e-10,
                     -3.6199479913276615e-10});
}

}  // namespace

// The three forms (Abramowitz and Stegun 10.4.59 and 10.4.60 for large arguments) are interpolated
// at Chebyshev's points.
Tensor airy_ai(const Tensor& x) {
  GradientMode off(false);
  const Tensor wide = convert(x, DType::f64), size = abs(wide);
  const Tensor low = le(wide, kLeast), high = ge(wide, kMost);
  const Tensor inner = where(logical_or(low, high), 0.0, wide);
  const Tensor y = where(low, oscillating(where(low, size, -kLeast)),
                         where(high, decaying(where(high, size, kMost)), middle(inner)));
  return convert(where(isinf(wide), 0.0, y), floating_type(x.dtype()));
}

}  // namespace tide
