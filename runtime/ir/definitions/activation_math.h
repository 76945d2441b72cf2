// Definitions and gradients of activation functions. Comparisons let nan propagate.
#pragma once

#include "runtime/ir/definitions/op_gradient.h"
#include "runtime/ir/math/math.h"

namespace tide::definition {

/// max(x, 0); the gradient at 0 is 0; nan propagates.
struct Relu {
  template <class V>
  static V value(V x) {
    const V zero = x.constant(0);
    return select(x < zero, zero, x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return where(le(y, 0.0), 0.0, dy);  // nan lets the gradient through
  }
};

/// min(max(x, 0), 6).
struct Relu6 {
  template <class V>
  static V value(V x) {
    const V zero = x.constant(0);
    const V six = x.constant(6);
    x = select(x < zero, zero, x);
    return select(x > six, six, x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return where(logical_and(gt(y, 0.0), lt(y, 6.0)), dy, 0.0);
  }
};

/// x clamped to low and high; the gradient at both is 0.
struct Hardtanh {
  template <class V>
  static V value(V x, V low, V high) {
    x = select(x < low, low, x);
    return select(x > high, high, x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor, class Number>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy, Number low,
                         Number high) {
    return where(logical_and(gt(x, low), lt(x, high)), dy, 0.0);
  }
};

/// x / 6 + 1 / 2 clamped to 0 and 1.
struct Hardsigmoid {
  template <class V>
  static V value(V x) {
    const V zero = x.constant(0.0);
    const V six = x.constant(6.0);
    V t = x + x.constant(3.0);
    t = select(t < zero, zero, t);
    t = select(t > six, six, t);
    return t * x.constant(1.0 / 6.0);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return where(logical_and(gt(x, -3.0), lt(x, 3.0)), dy * (1.0 / 6.0), 0.0);
  }
};

/// x * hardsigmoid(x).
struct Hardswish {
  template <class V>
  static V value(V x) {
    return x * Hardsigmoid::value(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    const Tensor inner = where(ge(x, 3.0), dy, dy * (x * (1.0 / 3.0) + 0.5));
    return where(le(x, -3.0), 0.0, inner);
  }
};

/// x; below 0, slope * x.
struct LeakyRelu {
  template <class V>
  static V value(V x, V slope) {
    return select(x > x.constant(0.0), x, x * slope);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor, class Number>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy, Number slope) {
    return where(gt(x, 0.0), dy, dy * slope);
  }
};

/// x; below 0, alpha * (exp(x) - 1).
struct Elu {
  template <class V>
  static V value(V x, V alpha) {
    return select(x > x.constant(0.0), x, alpha * math::expm1(x));
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor, class Number>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy, Number alpha) {
    return where(gt(x, 0.0), dy, dy * (exp(x) * alpha));
  }
};

/// x; below 0, alpha * (exp(x / alpha) - 1).
struct Celu {
  template <class V>
  static V value(V x, V alpha) {
    return select(x > x.constant(0.0), x, alpha * math::expm1(x / alpha));
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor, class Number>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy, Number alpha) {
    return where(gt(x, 0.0), dy, dy * exp(x / alpha));
  }
};

/// scale * elu(x, alpha) with the constants of Klambauer et al., Self-Normalizing Neural
/// Networks, 2017.
struct Selu {
  static constexpr double kScale = 1.0507009873554805;
  static constexpr double kAlpha = 1.6732632423543772;
  template <class V>
  static V value(V x) {
    const V scale = x.constant(kScale);
    const V below = x.constant(kScale * kAlpha) * math::expm1(x);
    return select(x > x.constant(0.0), scale * x, below);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return where(gt(x, 0.0), dy * kScale, dy * (exp(x) * (kScale * kAlpha)));
  }
};

/// x * (1 + erf(x / sqrt(2))) / 2.
struct Gelu {
  template <class V>
  static V value(V x) {
    const V erf = math::erf(x * x.constant(0.7071067811865476));
    return x * x.constant(0.5) * (x.constant(1.0) + erf);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    const Tensor below = (erf(x * 0.7071067811865476) + 1.0) * 0.5;
    const Tensor density = exp(x * x * -0.5) * 0.3989422804014327;
    return dy * (below + x * density);
  }
};

/// x * (1 + tanh(u)) / 2 = x * sigmoid(2 u) with u = sqrt(2 / pi) * (x + 0.044715 x^3).
struct GeluTanh {
  static constexpr double kFactor = 2 * 0.7978845608028654;
  static constexpr double kCubic = kFactor * 0.044715;
  template <class V>
  static V value(V x) {
    return x * math::sigmoid(x * fma(x * x, x.constant(kCubic), x.constant(kFactor)));
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    const Tensor square = x * x;
    const Tensor s = sigmoid(x * (square * kCubic + kFactor));
    const Tensor slope = square * (3.0 * kCubic) + kFactor;
    return dy * (s + x * (s * (1.0 - s)) * slope);
  }
};

/// x * sigmoid(x), a smooth relu.
struct Silu {
  template <class V>
  static V value(V x) {
    return x * math::sigmoid(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    const Tensor s = sigmoid(x);
    return dy * (s * (x * (1.0 - s) + 1.0));
  }
};

/// x * tanh(softplus(x)); with e = exp(x) this is x n / (n + 2), n = e (e + 2).
struct Mish {
  template <class V>
  static V value(V x) {
    const V top = x.constant(30.0);  // the factor is 1 from here on
    const V e = math::exp(select(x > top, top, x));
    const V n = e * (e + x.constant(2.0));
    return x * (n / (n + x.constant(2.0)));
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    const Tensor t = tanh(softplus(x));
    return dy * (t + x * sigmoid(x) * (1.0 - t * t));
  }
};

/// (x + s) / 2 with s = sqrt(x^2 + 4); below 0, to avoid cancellation, 2 / (s - x). Barron,
/// Squareplus: A Softplus-Like Algebraic Rectifier, 2021.
struct Squareplus {
  template <class V>
  static V value(V x) {
    const V s = math::hypot(x, x.constant(2.0));
    return select(x > x.constant(0.0), (x + s) * x.constant(0.5), x.constant(2.0) / (s - x));
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (y / (y + (y - x)));
  }
};

/// log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold.
struct Softplus {
  template <class V>
  static V value(V x, V beta, V threshold) {
    const V scaled = x * beta;
    const V zero = x.constant(0.0);
    const V positive = select(scaled > zero, scaled, zero);
    const V sum = positive + math::log1p(math::exp(-abs(scaled)));
    return select(scaled > threshold, x, sum / beta);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor, class Number>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy, Number beta,
                         Number threshold) {
    const Tensor scaled = x * beta;
    return where(gt(scaled, threshold), dy, dy * sigmoid(scaled));
  }
};

/// x / (1 + |x|).
struct Softsign {
  template <class V>
  static V value(V x) {
    return x / (abs(x) + x.constant(1.0));
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy / square(abs(x) + 1.0);
  }
};

}  // namespace tide::definition
