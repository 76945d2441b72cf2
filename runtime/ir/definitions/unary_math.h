// Definitions and gradients of functions of one argument.
#pragma once

#include "runtime/ir/definitions/op_gradient.h"
#include "runtime/ir/math/math.h"

namespace tide::definition {

/// The gradient at 0 is 0.
struct Abs {
  template <class V>
  static V value(V x) {
    return x.type() == DType::u8 || x.type() == DType::boolean ? x : abs(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * sign(x);
  }
};

struct Neg {
  template <class V>
  static V value(V x) {
    return -x;
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  template <class Tensor>
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) {
    return neg(dy);
  }
};

/// The angle of a real number in the complex plane: pi below 0, else 0; nan propagates.
struct Angle {
  template <class V>
  static V value(V x) {
    const V zero = x.constant(0.0);
    const V known = select(x < zero, x.constant(3.14159265358979323846), zero);
    return select(x == x, known, x);
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  template <class Tensor>
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) {
    return zeros_like(dy);
  }
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
  template <class Tensor>
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) {
    return zeros_like(dy);
  }
};

struct Square {
  template <class V>
  static V value(V x) {
    return x * x;
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
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
  template <class Tensor>
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
  template <class Tensor>
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
  template <class Tensor>
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
  template <class Tensor>
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) {
    return zeros_like(dy);
  }
};

struct Floor {
  template <class V>
  static V value(V x) {
    return is_floating(x.type()) ? floor(x) : x;
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  template <class Tensor>
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) {
    return zeros_like(dy);
  }
};

/// To the nearest integer, ties to even.
struct Round {
  template <class V>
  static V value(V x) {
    return is_floating(x.type()) ? round_even(x) : x;
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  template <class Tensor>
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) {
    return zeros_like(dy);
  }
};

struct Trunc {
  template <class V>
  static V value(V x) {
    return is_floating(x.type()) ? trunc(x) : x;
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  template <class Tensor>
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) {
    return zeros_like(dy);
  }
};

struct Frac {
  template <class V>
  static V value(V x) {
    return x - trunc(x);
  }
  static constexpr unsigned kNeeds = kNeedsNothing;
  template <class Tensor>
  static Tensor gradient(const Tensor&, const Tensor&, const Tensor& dy) {
    return dy;
  }
};

struct Exp {
  template <class V>
  static V value(V x) {
    return math::exp(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return dy * y;
  }
};

struct Exp2 {
  template <class V>
  static V value(V x) {
    return math::exp2(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  template <class Tensor>
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
  template <class Tensor>
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
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy / x;
  }
};

struct Log2 {
  template <class V>
  static V value(V x) {
    return math::log2(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
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
  template <class Tensor>
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
  template <class Tensor>
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
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * cos(x);
  }
};

struct Cos {
  template <class V>
  static V value(V x) {
    return math::cos(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
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
  template <class Tensor>
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
  template <class Tensor>
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
  template <class Tensor>
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
  template <class Tensor>
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
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * cosh(x);
  }
};

struct Cosh {
  template <class V>
  static V value(V x) {
    return math::cosh(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * sinh(x);
  }
};

struct Tanh {
  template <class V>
  static V value(V x) {
    return math::tanh(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  template <class Tensor>
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
  template <class Tensor>
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
  template <class Tensor>
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
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy / (1.0 - x * x);
  }
};

/// 1 / (1 + exp(-x)).
struct Sigmoid {
  template <class V>
  static V value(V x) {
    return math::sigmoid(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  template <class Tensor>
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
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * sigmoid(neg(x));
  }
};

}  // namespace tide::definition
