// Definitions and gradients of functions of one number.
#pragma once

#include "runtime/ir/math/math.h"
#include "runtime/ops/elementwise/elementwise_gradient.h"
#include "runtime/ops/math/special.h"
#include "runtime/ops/shape/creation.h"

namespace tide::definition {

/// The gradient at 0 is 0.
struct Abs {
  template <class V>
  static V value(V x) {
    return x.type() == DType::u8 || x.type() == DType::boolean ? x : abs(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) { return dy * sign(x); }
};

struct Neg {
  template <class V>
  static V value(V x) {
    return -x;
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) { return neg(dy); }
};

/// -1, 0 or 1; 0 for nan.
struct Sign {
  template <class V>
  static V value(V x) {
    const V zero = x.constant(0);
    const V one = x.constant(1);
    const V below = select(x < zero, x.constant(-1), zero);
    return select(x > zero, one, below);
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) { return zeros_like(dy); }
};

struct Square {
  template <class V>
  static V value(V x) {
    return x * x;
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * (x * 2.0);
  }
};

struct Reciprocal {
  template <class V>
  static V value(V x) {
    return x.constant(1.0) / x;
  }
  static constexpr unsigned kNeeds = kNeedsY;
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return neg(dy) * (y * y);
  }
};

struct Sqrt {
  template <class V>
  static V value(V x) {
    return sqrt(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return dy / (y * 2.0);
  }
};

struct Rsqrt {
  template <class V>
  static V value(V x) {
    return x.constant(1.0) / sqrt(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return dy * (y * y * y * -0.5);
  }
};

struct Ceil {
  template <class V>
  static V value(V x) {
    return is_floating(x.type()) ? ceil(x) : x;
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) { return zeros_like(dy); }
};

struct Floor {
  template <class V>
  static V value(V x) {
    return is_floating(x.type()) ? floor(x) : x;
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) { return zeros_like(dy); }
};

/// To the nearest whole number, ties to even.
struct Round {
  template <class V>
  static V value(V x) {
    return is_floating(x.type()) ? round_even(x) : x;
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) { return zeros_like(dy); }
};

struct Trunc {
  template <class V>
  static V value(V x) {
    return is_floating(x.type()) ? trunc(x) : x;
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) { return zeros_like(dy); }
};

struct Frac {
  template <class V>
  static V value(V x) {
    return x - trunc(x);
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) { return dy; }
};

struct Exp {
  template <class V>
  static V value(V x) {
    return math::exp(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) { return dy * y; }
};

struct Exp2 {
  template <class V>
  static V value(V x) {
    return math::exp2(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return dy * (y * math::kLn2);
  }
};

struct Expm1 {
  template <class V>
  static V value(V x) {
    return math::expm1(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return dy * (y + 1.0);
  }
};

struct Log {
  template <class V>
  static V value(V x) {
    return math::log(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) { return dy / x; }
};

struct Log2 {
  template <class V>
  static V value(V x) {
    return math::log2(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy / (x * math::kLn2);
  }
};

struct Log10 {
  template <class V>
  static V value(V x) {
    return math::log10(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy / (x * 2.302585092994046);
  }
};

struct Log1p {
  template <class V>
  static V value(V x) {
    return math::log1p(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy / (x + 1.0);
  }
};

struct Sin {
  template <class V>
  static V value(V x) {
    return math::sin(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) { return dy * cos(x); }
};

struct Cos {
  template <class V>
  static V value(V x) {
    return math::cos(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return neg(dy) * sin(x);
  }
};

struct Tan {
  template <class V>
  static V value(V x) {
    return math::tan(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return dy * (y * y + 1.0);
  }
};

struct Asin {
  template <class V>
  static V value(V x) {
    return math::asin(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * rsqrt(1.0 - x * x);
  }
};

struct Acos {
  template <class V>
  static V value(V x) {
    return math::acos(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return neg(dy) * rsqrt(1.0 - x * x);
  }
};

struct Atan {
  template <class V>
  static V value(V x) {
    return math::atan(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy / (x * x + 1.0);
  }
};

struct Sinh {
  template <class V>
  static V value(V x) {
    return math::sinh(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) { return dy * cosh(x); }
};

struct Cosh {
  template <class V>
  static V value(V x) {
    return math::cosh(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) { return dy * sinh(x); }
};

struct Tanh {
  template <class V>
  static V value(V x) {
    return math::tanh(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return dy * (1.0 - y * y);
  }
};

struct Asinh {
  template <class V>
  static V value(V x) {
    return math::asinh(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * rsqrt(x * x + 1.0);
  }
};

struct Acosh {
  template <class V>
  static V value(V x) {
    return math::acosh(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * rsqrt(x * x - 1.0);
  }
};

struct Atanh {
  template <class V>
  static V value(V x) {
    return math::atanh(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy / (1.0 - x * x);
  }
};

struct Erf {
  template <class V>
  static V value(V x) {
    return math::erf(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * (exp(neg(x * x)) * 1.1283791670955126);
  }
};

struct Erfc {
  template <class V>
  static V value(V x) {
    return math::erfc(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * (exp(neg(x * x)) * -1.1283791670955126);
  }
};

/// log |gamma(x)|.
struct Lgamma {
  template <class V>
  static V value(V x) {
    return math::lgamma(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * digamma(x);
  }
};

/// The derivative of lgamma.
struct Digamma {
  template <class V>
  static V value(V x) {
    return math::digamma(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * trigamma(x);
  }
};

/// The derivative of digamma.
struct Trigamma {
  template <class V>
  static V value(V x) {
    return math::trigamma(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * polygamma(2, x);
  }
};

/// The inverse of erf.
struct Erfinv {
  template <class V>
  static V value(V x) {
    return math::erfinv(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return dy * (exp(y * y) * 0.886226925452758);
  }
};

/// exp(x^2) erfc(x).
struct Erfcx {
  template <class V>
  static V value(V x) {
    return math::erfcx(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (x * y * 2.0 - 1.1283791670955126);
  }
};

/// I1(x) / x, also at 0, or the same of the scaled function or of J1.
inline Tensor bessel_slope(const Tensor& i1_of_x, const Tensor& x) {
  const Tensor at_zero = eq(x, 0.0);
  return where(at_zero, 0.5, i1_of_x / where(at_zero, 1.0, x));
}

/// Modified Bessel functions of order 0 and 1, and multiplied by exp(-|x|).
struct I0 {
  template <class V>
  static V value(V x) {
    return math::i0(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) { return dy * i1(x); }
};
struct I0e {
  template <class V>
  static V value(V x) {
    return math::i0e(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (i1e(x) - sign(x) * y);
  }
};
struct I1 {
  template <class V>
  static V value(V x) {
    return math::i1(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (i0(x) - bessel_slope(y, x));
  }
};
struct I1e {
  template <class V>
  static V value(V x) {
    return math::i1e(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (i0e(x) - sign(x) * y - bessel_slope(y, x));
  }
};

/// Bessel functions of order 0 and 1: J, Y, K, and K multiplied by exp(x).
struct BesselJ0 {
  template <class V>
  static V value(V x) {
    return math::bessel_j0(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * (-bessel_j1(x));
  }
};
struct BesselJ1 {
  template <class V>
  static V value(V x) {
    return math::bessel_j1(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (bessel_j0(x) - bessel_slope(y, x));
  }
};
struct BesselY0 {
  template <class V>
  static V value(V x) {
    return math::bessel_y0(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * (-bessel_y1(x));
  }
};
struct BesselY1 {
  template <class V>
  static V value(V x) {
    return math::bessel_y1(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (bessel_y0(x) - y / x);
  }
};
struct BesselK0 {
  template <class V>
  static V value(V x) {
    return math::bessel_k0(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * (-modified_bessel_k1(x));
  }
};
struct BesselK1 {
  template <class V>
  static V value(V x) {
    return math::bessel_k1(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (-modified_bessel_k0(x) - y / x);
  }
};
struct BesselK0e {
  template <class V>
  static V value(V x) {
    return math::bessel_k0e(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (y - scaled_modified_bessel_k1(x));
  }
};
struct BesselK1e {
  template <class V>
  static V value(V x) {
    return math::bessel_k1e(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (y - scaled_modified_bessel_k0(x) - y / x);
  }
};

/// 1 / (1 + exp(-x)).
struct Sigmoid {
  template <class V>
  static V value(V x) {
    return math::sigmoid(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return dy * (y * (1.0 - y));
  }
};

/// log(sigmoid(x)) without overflow.
struct LogSigmoid {
  template <class V>
  static V value(V x) {
    const V zero = x.constant(0.0);
    return select(x < zero, x, zero) - math::log1p(math::exp(-abs(x)));
  }
  static constexpr unsigned kNeeds = kNeedsA;
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * sigmoid(neg(x));
  }
};

}  // namespace tide::definition
