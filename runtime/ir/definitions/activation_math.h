// Definitions and gradients of activation functions. Comparisons let nan propagate.
#pragma once

#include "runtime/ir/definitions/op_definition.h"
#include "runtime/ir/math/math.h"

namespace tide::definition {

/// max(x, 0); the gradient at 0 is 0; nan propagates.
struct Relu : Differentiable<kNeedsY> {
  static auto value(auto x) {
    const auto zero = x.constant(0);
    return select(x < zero, zero, x);
  }
  static auto gradient(const auto& v) {
    return where(le(v.y, 0.0), 0.0, v.dy);  // nan lets the gradient through
  }
};

/// x clamped to low and high; the gradient at both is 0.
struct Hardtanh : Differentiable<kNeedsX> {
  static auto value(auto x, auto low, auto high) {
    x = select(x < low, low, x);
    return select(x > high, high, x);
  }
  static auto gradient(const auto& v, auto low, auto high) {
    return where(logical_and(gt(v.x, low), lt(v.x, high)), v.dy, 0.0);
  }
};

/// min(max(x, 0), 6).
struct Relu6 : Differentiable<kNeedsY> {
  static auto value(auto x) { return Hardtanh::value(x, x.constant(0), x.constant(6)); }
  static auto gradient(const auto& v) {
    return where(logical_and(gt(v.y, 0.0), lt(v.y, 6.0)), v.dy, 0.0);
  }
};

/// x / 6 + 1 / 2 clamped to 0 and 1.
struct Hardsigmoid : Differentiable<kNeedsX> {
  static auto value(auto x) { return Relu6::value(x + x.constant(3.0)) * x.constant(1.0 / 6.0); }
  static auto gradient(const auto& v) {
    return where(logical_and(gt(v.x, -3.0), lt(v.x, 3.0)), v.dy * (1.0 / 6.0), 0.0);
  }
};

/// x * hardsigmoid(x).
struct Hardswish : Differentiable<kNeedsX> {
  static auto value(auto x) { return x * Hardsigmoid::value(x); }
  static auto gradient(const auto& v) {
    const auto inner = where(ge(v.x, 3.0), v.dy, v.dy * (v.x * (1.0 / 3.0) + 0.5));
    return where(le(v.x, -3.0), 0.0, inner);
  }
};

/// x; below 0, slope * x.
struct LeakyRelu : Differentiable<kNeedsX> {
  static auto value(auto x, auto slope) { return select(x > x.constant(0.0), x, x * slope); }
  static auto gradient(const auto& v, auto slope) {
    return where(gt(v.x, 0.0), v.dy, v.dy * slope);
  }
};

/// x; below 0, alpha * (exp(x) - 1).
struct Elu : Differentiable<kNeedsX> {
  static auto value(auto x, auto alpha) {
    return select(x > x.constant(0.0), x, alpha * math::expm1(x));
  }
  static auto gradient(const auto& v, auto alpha) {
    return where(gt(v.x, 0.0), v.dy, v.dy * (exp(v.x) * alpha));
  }
};

/// x; below 0, alpha * (exp(x / alpha) - 1).
struct Celu : Differentiable<kNeedsX> {
  static auto value(auto x, auto alpha) {
    return select(x > x.constant(0.0), x, alpha * math::expm1(x / alpha));
  }
  static auto gradient(const auto& v, auto alpha) {
    return where(gt(v.x, 0.0), v.dy, v.dy * exp(v.x / alpha));
  }
};

/// scale * elu(x, alpha) with the constants of Klambauer et al., Self-Normalizing Neural
/// Networks, 2017.
struct Selu : Differentiable<kNeedsX> {
  static constexpr double kScale = 1.0507009873554805;
  static constexpr double kAlpha = 1.6732632423543772;
  static auto value(auto x) {
    const auto below = x.constant(kScale * kAlpha) * math::expm1(x);
    return select(x > x.constant(0.0), x.constant(kScale) * x, below);
  }
  static auto gradient(const auto& v) {
    return where(gt(v.x, 0.0), v.dy * kScale, v.dy * (exp(v.x) * (kScale * kAlpha)));
  }
};

/// x * (1 + erf(x / sqrt(2))) / 2.
struct Gelu : Differentiable<kNeedsX> {
  static auto value(auto x) {
    const auto erf = math::erf(x * x.constant(0.7071067811865476));
    return x * x.constant(0.5) * (x.constant(1.0) + erf);
  }
  static auto gradient(const auto& v) {
    const auto below = (erf(v.x * 0.7071067811865476) + 1.0) * 0.5;
    const auto density = exp(v.x * v.x * -0.5) * 0.3989422804014327;
    return v.dy * (below + v.x * density);
  }
};

/// x * (1 + tanh(u)) / 2 = x * sigmoid(2 u) with u = sqrt(2 / pi) * (x + 0.044715 x^3).
struct GeluTanh : Differentiable<kNeedsX> {
  static constexpr double kFactor = 2 * 0.7978845608028654;
  static constexpr double kCubic = kFactor * 0.044715;
  static auto value(auto x) {
    return x * math::sigmoid(x * fma(x * x, x.constant(kCubic), x.constant(kFactor)));
  }
  static auto gradient(const auto& v) {
    const auto square = v.x * v.x;
    const auto s = sigmoid(v.x * (square * kCubic + kFactor));
    const auto slope = square * (3.0 * kCubic) + kFactor;
    return v.dy * (s + v.x * (s * (1.0 - s)) * slope);
  }
};

/// x * sigmoid(x), a smooth relu.
struct Silu : Differentiable<kNeedsX> {
  static auto value(auto x) { return x * math::sigmoid(x); }
  static auto gradient(const auto& v) {
    const auto s = sigmoid(v.x);
    return v.dy * (s * (v.x * (1.0 - s) + 1.0));
  }
};

/// x * tanh(softplus(x)); with e = exp(x) this is x n / (n + 2), n = e (e + 2).
struct Mish : Differentiable<kNeedsX> {
  static auto value(auto x) {
    const auto top = x.constant(30.0);  // the factor is 1 from here on
    const auto e = math::exp(select(x > top, top, x));
    const auto n = e * (e + x.constant(2.0));
    return x * (n / (n + x.constant(2.0)));
  }
  static auto gradient(const auto& v) {
    const auto t = tanh(softplus(v.x));
    return v.dy * (t + v.x * sigmoid(v.x) * (1.0 - t * t));
  }
};

/// (x + s) / 2 with s = sqrt(x^2 + 4); below 0, to avoid cancellation, 2 / (s - x). Barron,
/// Squareplus: A Softplus-Like Algebraic Rectifier, 2021.
struct Squareplus : Differentiable<kNeedsX | kNeedsY> {
  static auto value(auto x) {
    const auto s = math::hypot(x, x.constant(2.0));
    return select(x > x.constant(0.0), (x + s) * x.constant(0.5), x.constant(2.0) / (s - x));
  }
  static auto gradient(const auto& v) { return v.dy * (v.y / (v.y + (v.y - v.x))); }
};

/// log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold.
struct Softplus : Differentiable<kNeedsX> {
  static auto value(auto x, auto beta, auto threshold) {
    const auto scaled = x * beta;
    const auto zero = x.constant(0.0);
    const auto positive = select(scaled > zero, scaled, zero);
    const auto sum = positive + math::log1p(math::exp(-abs(scaled)));
    return select(scaled > threshold, x, sum / beta);
  }
  static auto gradient(const auto& v, auto beta, auto threshold) {
    const auto scaled = v.x * beta;
    return where(gt(scaled, threshold), v.dy, v.dy * sigmoid(scaled));
  }
};

/// x / (1 + |x|).
struct Softsign : Differentiable<kNeedsX> {
  static auto value(auto x) { return x / (abs(x) + x.constant(1.0)); }
  static auto gradient(const auto& v) { return v.dy / square(abs(v.x) + 1.0); }
};

}  // namespace tide::definition
