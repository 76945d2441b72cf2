// Definitions and gradients of functions of one argument.
#pragma once

#include "runtime/ir/definitions/op_definition.h"
#include "runtime/ir/math/math.h"

namespace tide::definition {

/// The gradient of a function that is constant between its jumps.
struct ZeroGradient : Differentiable<kNeedsNothing> {
  static auto gradient(const auto& v) { return zeros_like(v.dy); }
};

/// The gradient at 0 is 0.
struct Abs : Differentiable<kNeedsX> {
  static auto value(auto x) {
    return x.type() == DType::u8 || x.type() == DType::boolean ? x : abs(x);
  }
  static auto gradient(const auto& v) { return v.dy * sign(v.x); }
};
struct Neg : Differentiable<kNeedsNothing> {
  static auto value(auto x) { return -x; }
  static auto gradient(const auto& v) { return neg(v.dy); }
};

/// The angle of a real number in the complex plane: pi below 0, else 0; nan propagates.
struct Angle : ZeroGradient {
  static auto value(auto x) {
    const auto zero = x.constant(0.0);
    return select(x == x, select(x < zero, x.constant(math::kPi), zero), x);
  }
};

/// -1, 0 or 1; 0 for nan.
struct Sign : ZeroGradient {
  static auto value(auto x) {
    const auto zero = x.constant(0);
    return select(x > zero, x.constant(1), select(x < zero, x.constant(-1), zero));
  }
};

struct Square : Differentiable<kNeedsX> {
  static auto value(auto x) { return x * x; }
  static auto gradient(const auto& v) { return v.dy * (v.x * 2.0); }
};
struct Reciprocal : Differentiable<kNeedsY> {
  static auto value(auto x) { return x.constant(1.0) / x; }
  static auto gradient(const auto& v) { return neg(v.dy) * (v.y * v.y); }
};
struct Sqrt : Differentiable<kNeedsY> {
  static auto value(auto x) { return sqrt(x); }
  static auto gradient(const auto& v) { return v.dy / (v.y * 2.0); }
};
struct Rsqrt : Differentiable<kNeedsY> {
  static auto value(auto x) { return x.constant(1.0) / sqrt(x); }
  static auto gradient(const auto& v) { return v.dy * (v.y * v.y * v.y * -0.5); }
};

struct Ceil : ZeroGradient {
  static auto value(auto x) { return is_floating(x.type()) ? ceil(x) : x; }
};
struct Floor : ZeroGradient {
  static auto value(auto x) { return is_floating(x.type()) ? floor(x) : x; }
};
/// To the nearest integer, ties to even.
struct Round : ZeroGradient {
  static auto value(auto x) { return is_floating(x.type()) ? round_even(x) : x; }
};
struct Trunc : ZeroGradient {
  static auto value(auto x) { return is_floating(x.type()) ? trunc(x) : x; }
};
struct Frac : Differentiable<kNeedsNothing> {
  static auto value(auto x) { return x - trunc(x); }
  static auto gradient(const auto& v) { return v.dy; }
};

struct Exp : Differentiable<kNeedsY> {
  static auto value(auto x) { return math::exp(x); }
  static auto gradient(const auto& v) { return v.dy * v.y; }
};
struct Exp2 : Differentiable<kNeedsY> {
  static auto value(auto x) { return math::exp2(x); }
  static auto gradient(const auto& v) { return v.dy * (v.y * math::kLn2); }
};
struct Expm1 : Differentiable<kNeedsY> {
  static auto value(auto x) { return math::expm1(x); }
  static auto gradient(const auto& v) { return v.dy * (v.y + 1.0); }
};

struct Log : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::log(x); }
  static auto gradient(const auto& v) { return v.dy / v.x; }
};
struct Log2 : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::log2(x); }
  static auto gradient(const auto& v) { return v.dy / (v.x * math::kLn2); }
};
struct Log10 : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::log10(x); }
  static auto gradient(const auto& v) { return v.dy / (v.x * 2.302585092994046); }
};
struct Log1p : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::log1p(x); }
  static auto gradient(const auto& v) { return v.dy / (v.x + 1.0); }
};

struct Sin : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::sin(x); }
  static auto gradient(const auto& v) { return v.dy * cos(v.x); }
};
struct Cos : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::cos(x); }
  static auto gradient(const auto& v) { return neg(v.dy) * sin(v.x); }
};
struct Tan : Differentiable<kNeedsY> {
  static auto value(auto x) { return math::tan(x); }
  static auto gradient(const auto& v) { return v.dy * (v.y * v.y + 1.0); }
};
struct Asin : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::asin(x); }
  static auto gradient(const auto& v) { return v.dy * rsqrt(1.0 - v.x * v.x); }
};
struct Acos : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::acos(x); }
  static auto gradient(const auto& v) { return neg(v.dy) * rsqrt(1.0 - v.x * v.x); }
};
struct Atan : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::atan(x); }
  static auto gradient(const auto& v) { return v.dy / (v.x * v.x + 1.0); }
};

struct Sinh : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::sinh(x); }
  static auto gradient(const auto& v) { return v.dy * cosh(v.x); }
};
struct Cosh : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::cosh(x); }
  static auto gradient(const auto& v) { return v.dy * sinh(v.x); }
};
struct Tanh : Differentiable<kNeedsY> {
  static auto value(auto x) { return math::tanh(x); }
  static auto gradient(const auto& v) { return v.dy * (1.0 - v.y * v.y); }
};
struct Asinh : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::asinh(x); }
  static auto gradient(const auto& v) { return v.dy * rsqrt(v.x * v.x + 1.0); }
};
struct Acosh : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::acosh(x); }
  static auto gradient(const auto& v) { return v.dy * rsqrt(v.x * v.x - 1.0); }
};
struct Atanh : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::atanh(x); }
  static auto gradient(const auto& v) { return v.dy / (1.0 - v.x * v.x); }
};

/// 1 / (1 + exp(-x)).
struct Sigmoid : Differentiable<kNeedsY> {
  static auto value(auto x) { return math::sigmoid(x); }
  static auto gradient(const auto& v) { return v.dy * (v.y * (1.0 - v.y)); }
};

/// log(sigmoid(x)) without overflow.
struct LogSigmoid : Differentiable<kNeedsX> {
  static auto value(auto x) {
    const auto zero = x.constant(0.0);
    return select(x < zero, x, zero) - math::log1p(math::exp(-abs(x)));
  }
  static auto gradient(const auto& v) { return v.dy * sigmoid(neg(v.x)); }
};

}  // namespace tide::definition
