// Definitions and gradients of arithmetic on two or more arguments.
#pragma once

#include "runtime/ir/definitions/op_gradient.h"
#include "runtime/ir/math/math.h"
#include "runtime/types/error.h"

namespace tide::definition {

template <class V>
bool is_bool(V x) {
  return x.type() == DType::boolean;
}

/// Sum and product of bool are "or" and "and".
struct Add {
  template <class V>
  static V value(V a, V b) {
    return is_bool(a) ? a | b : a + b;
  }
  static constexpr unsigned kNeeds[] = {kNeedsNothing, kNeedsNothing};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy;
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return v.dy;
  }
};

struct Sub {
  template <class V>
  static V value(V a, V b) {
    return a - b;
  }
  static constexpr unsigned kNeeds[] = {kNeedsNothing, kNeedsNothing};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy;
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return neg(v.dy);
  }
};

struct Mul {
  template <class V>
  static V value(V a, V b) {
    return is_bool(a) ? a & b : a * b;
  }
  static constexpr unsigned kNeeds[] = {kNeedsB, kNeedsA};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy * v.b;
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return v.dy * v.a;
  }
};

struct Div {
  template <class V>
  static V value(V a, V b) {
    return a / b;
  }
  static constexpr unsigned kNeeds[] = {kNeedsB, kNeedsB | kNeedsY};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy / v.b;
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return neg(v.dy) * (v.y / v.b);
  }
};

/// a + alpha * b.
struct AddScaled {
  template <class V>
  static V value(V a, V b, V alpha) {
    return a + alpha * b;
  }
  static constexpr unsigned kNeeds[] = {kNeedsNothing, kNeedsNothing};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy;
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return v.dy * v.c;
  }
};
struct SubScaled {
  template <class V>
  static V value(V a, V b, V alpha) {
    return a - alpha * b;
  }
  static constexpr unsigned kNeeds[] = {kNeedsNothing, kNeedsNothing};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy;
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return neg(v.dy) * v.c;
  }
};

/// a + scale * b * c.
struct Addcmul {
  template <class V>
  static V value(V a, V b, V c, V scale) {
    return a + scale * b * c;
  }
  static constexpr unsigned kNeeds[] = {kNeedsNothing, kNeedsC, kNeedsB};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy;
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return v.dy * v.c * v.d;
  }
  template <class Tensor>
  static Tensor gradient_c(const Operands<Tensor>& v) {
    return v.dy * v.b * v.d;
  }
};
/// a + scale * b / c.
struct Addcdiv {
  template <class V>
  static V value(V a, V b, V c, V scale) {
    return a + scale * b / c;
  }
  static constexpr unsigned kNeeds[] = {kNeedsNothing, kNeedsC, kNeedsB | kNeedsC};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy;
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return v.dy * v.d / v.c;
  }
  template <class Tensor>
  static Tensor gradient_c(const Operands<Tensor>& v) {
    return neg(v.dy) * v.d * v.b / square(v.c.tensor);
  }
};

/// a + weight * (b - a), computed from the nearer end so that both ends are exact.
struct Lerp {
  template <class V>
  static V value(V a, V b, V weight) {
    const V distance = b - a;
    const V from_b = b - distance * (weight.constant(1.0) - weight);
    return select(abs(weight) < weight.constant(0.5), a + weight * distance, from_b);
  }
  static constexpr unsigned kNeeds[] = {kNeedsC, kNeedsC, kNeedsA | kNeedsB};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy - v.dy * v.c;
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return v.dy * v.c;
  }
  template <class Tensor>
  static Tensor gradient_c(const Operands<Tensor>& v) {
    return v.dy * (v.b - v.a);
  }
};

/// floor(a / b). Integers: zero divisors are reported by a separate check (nonzero_divisor,
/// elementwise_binary.cpp); the loop may still run, and then returns 0 there.
struct FloorDivide {
  template <class V>
  static V value(V a, V b) {
    return math::by_kind(
        a, b, [](auto x, auto y) { return floating(x, y); },
        [](auto x, auto y) { return whole(x, y); });
  }

  template <class V>
  static V floating(V a, V b) {
    // f64 is precise enough for the floor of every quotient of two f32.
    if (math::is_wide(a)) return corrected(a, b);
    return math::converted(corrected(math::widened(a), math::widened(b)), a);
  }

  template <class V>
  static V whole(V a, V b) {
    const V zero = a.constant(0);
    const V divisor = select(b == zero, b.constant(1), b);
    const V q = quotient(a, divisor);
    const V r = remainder(a, divisor);
    const auto opposite = ((r < zero) & (b > zero)) | ((r > zero) & (b < zero));
    const V floored = select(opposite, q - a.constant(1), q);
    return select(b == zero, zero, floored);
  }

  /// Corrects the rounding of a / b: the remainder a - q b must have the sign of b.
  template <class W>
  static W corrected(W a, W b) {
    const W zero = a.constant(0.0);
    const W infinity = a.constant(std::numeric_limits<double>::infinity());
    const W quotient = a / b;
    const W q = floor(quotient);
    const W q_high = math::head(q);
    const W b_high = math::head(b);
    const W q_low = q - q_high;
    const W b_low = b - b_high;
    const W rest = (((a - q_high * b_high) - q_high * b_low) - q_low * b_high) - q_low * b_low;
    const auto above = ((rest < zero) & (b > zero)) | ((rest > zero) & (b < zero));
    // A negative quotient that underflows f64 is still below 0.
    const auto vanished = (q == zero) & (((a < zero) & (b > zero)) | ((a > zero) & (b < zero)));
    const W result = select(above | vanished, q - a.constant(1.0), q);
    return select((abs(a) == infinity) & (b != zero), a - a, result);
  }

  static constexpr unsigned kNeeds[] = {kNeedsNothing, kNeedsNothing};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return zeros_like(v.dy);
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return zeros_like(v.dy);
  }
};

/// a / b truncated to an integer. Integers by 0: as FloorDivide.
struct TruncDivide {
  template <class V>
  static V value(V a, V b) {
    if (is_floating(a.type())) return trunc(a / b);
    const V zero = a.constant(0);
    return select(b == zero, zero, quotient(a, select(b == zero, b.constant(1), b)));
  }
  static constexpr unsigned kNeeds[] = {kNeedsNothing, kNeedsNothing};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return zeros_like(v.dy);
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return zeros_like(v.dy);
  }
};

/// a - b * trunc(a / b), exactly, with the sign of a. Integers by 0: a, reported as in FloorDivide.
struct Fmod {
  template <class V>
  static V value(V a, V b) {
    return math::by_kind(
        a, b, [](auto x, auto y) { return math::fmod(x, y); },
        [](auto x, auto y) { return whole(x, y); });
  }
  template <class V>
  static V whole(V a, V b) {
    const V zero = a.constant(0);
    return select(b == zero, a, remainder(a, select(b == zero, b.constant(1), b)));
  }
  static constexpr unsigned kNeeds[] = {kNeedsNothing, kNeedsA | kNeedsB};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy;
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return neg(v.dy) * div(v.a, v.b, "trunc");
  }
};

/// a - b * floor(a / b), with the sign of b. Integers by 0: a, reported as in FloorDivide.
struct Remainder {
  template <class V>
  static V value(V a, V b) {
    const V m = Fmod::value(a, b);
    const V zero = a.constant(0);
    const auto opposite = ((m < zero) & (b > zero)) | ((m > zero) & (b < zero));
    return select(opposite, m + b, m);
  }
  static constexpr unsigned kNeeds[] = {kNeedsNothing, kNeedsA | kNeedsB};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy;
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return neg(v.dy) * floor_divide(v.a, v.b);
  }
};

/// C's pow; integers wrap around.
struct Pow {
  template <class V>
  static V value(V a, V b) {
    return math::by_kind(
        a, b, [](auto x, auto y) { return math::pow(x, y); },
        [](auto x, auto y) { return math::integer_pow(x, y); });
  }
  static constexpr unsigned kNeeds[] = {kNeedsA | kNeedsB, kNeedsA | kNeedsB | kNeedsY};
  /// b a^(b - 1), 0 where b is 0.
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    if (!v.b.tensor.defined()) {
      const double power = v.b.number.as_double();
      return power == 0 ? zeros_like(v.dy) : v.dy * (power * pow(v.a, power - 1.0));
    }
    return where(eq(v.b, 0.0), 0.0, v.dy * (v.b * pow(v.a, v.b - 1.0)));
  }
  /// a^b log(a), 0 where a is 0 and b is not negative.
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    if (!v.a.tensor.defined()) {
      const double base = v.a.number.as_double();
      const Tensor slope = v.dy * (v.y * std::log(base));
      return base == 0 ? where(ge(v.b, 0.0), 0.0, slope) : slope;
    }
    const Tensor flat = logical_and(eq(v.a, 0.0), ge(v.b, 0.0));
    return where(flat, 0.0, v.dy * (v.y * log(convert(v.a.tensor, v.y.dtype()))));
  }
};

/// dy if this argument did not lose (neither loses to nan), half of it if both are equal.
template <class Operand, class Tensor>
Tensor half_at_ties(const Operand& a, const Operand& b, const Tensor& lost, const Tensor& dy) {
  return where(eq(a, b), dy * 0.5, where(lost, 0.0, dy));
}

/// The larger one; nan wins. Equal ones share the gradient.
struct Maximum {
  template <class V>
  static V value(V a, V b) {
    return is_bool(a) ? a | b : maximum(a, b);
  }
  static constexpr unsigned kNeeds[] = {kNeedsA | kNeedsB, kNeedsA | kNeedsB};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return half_at_ties(v.a, v.b, lt(v.a, v.b), v.dy);
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return half_at_ties(v.a, v.b, lt(v.b, v.a), v.dy);
  }
};
struct Minimum {
  template <class V>
  static V value(V a, V b) {
    return is_bool(a) ? a & b : minimum(a, b);
  }
  static constexpr unsigned kNeeds[] = {kNeedsA | kNeedsB, kNeedsA | kNeedsB};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return half_at_ties(v.a, v.b, gt(v.a, v.b), v.dy);
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return half_at_ties(v.a, v.b, gt(v.b, v.a), v.dy);
  }
};

/// The larger one; nan loses. If equal, the first gets the gradient.
struct Fmax {
  template <class V>
  static V value(V a, V b) {
    if (is_bool(a)) return a | b;
    return select((a >= b) | (b != b), a, b);
  }
  static constexpr unsigned kNeeds[] = {kNeedsA | kNeedsB, kNeedsA | kNeedsB};
  template <class Tensor>
  static Tensor first_wins(const Operands<Tensor>& v) {
    return logical_or(ge(v.a, v.b), not_a_number(v.b));
  }
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return where(first_wins(v), v.dy, 0.0);
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return where(first_wins(v), 0.0, v.dy);
  }
};
struct Fmin {
  template <class V>
  static V value(V a, V b) {
    if (is_bool(a)) return a & b;
    return select((a <= b) | (b != b), a, b);
  }
  static constexpr unsigned kNeeds[] = {kNeedsA | kNeedsB, kNeedsA | kNeedsB};
  template <class Tensor>
  static Tensor first_wins(const Operands<Tensor>& v) {
    return logical_or(le(v.a, v.b), not_a_number(v.b));
  }
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return where(first_wins(v), v.dy, 0.0);
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return where(first_wins(v), 0.0, v.dy);
  }
};

/// x clamped to low and high; high wins if they cross. As in PyTorch, x gets the gradient at the
/// bounds.
struct Clamp {
  template <class V>
  static V value(V x, V low, V high) {
    return Minimum::value(Maximum::value(x, low), high);
  }
  static constexpr unsigned kNeeds[] = {kNeedsA | kNeedsB | kNeedsC, kNeedsA | kNeedsB | kNeedsC,
                                        kNeedsA | kNeedsB | kNeedsC};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return where(logical_and(ge(v.a, v.b), le(v.a, v.c)), v.dy, 0.0);
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return where(logical_and(lt(v.b, v.c), lt(v.a, v.b)), v.dy, 0.0);
  }
  template <class Tensor>
  static Tensor gradient_c(const Operands<Tensor>& v) {
    return where(logical_or(gt(v.a, v.c), lt(v.c, v.b)), v.dy, 0.0);
  }
};

/// The angle of the point (b, a).
struct Atan2 {
  template <class V>
  static V value(V a, V b) {
    return math::atan2(a, b);
  }
  static constexpr unsigned kNeeds[] = {kNeedsA | kNeedsB, kNeedsA | kNeedsB};
  /// a^2 + b^2; 1 at the origin, where the angle is undefined and its gradient counts as 0.
  template <class Tensor>
  static Tensor norm(const Operands<Tensor>& v) {
    const Tensor square = squared(v.a) + squared(v.b);
    return where(eq(square, 0.0), 1.0, square);
  }
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy * (v.b / norm(v));
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return neg(v.dy) * (v.a / norm(v));
  }
};

/// sqrt(a^2 + b^2) without overflow.
struct Hypot {
  template <class V>
  static V value(V a, V b) {
    return math::hypot(a, b);
  }
  static constexpr unsigned kNeeds[] = {kNeedsA | kNeedsY, kNeedsB | kNeedsY};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy * (v.a / v.y);
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return v.dy * (v.b / v.y);
  }
};

/// log(exp(a) + exp(b)); equal infinities are returned unchanged.
struct LogAddExp {
  template <class V>
  static V value(V a, V b) {
    const V smooth = maximum(a, b) + math::log1p(math::exp(-abs(a - b)));
    const V nothing = a - a;  // 0, except for infinities and nan
    return select((a == b) & (nothing != nothing), a, smooth);
  }
  static constexpr unsigned kNeeds[] = {kNeedsA | kNeedsB, kNeedsA | kNeedsB};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return v.dy * sigmoid(v.a - v.b);
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return v.dy * sigmoid(v.b - v.a);
  }
};

/// The magnitude of a with the sign of b.
struct Copysign {
  template <class V>
  static V value(V a, V b) {
    return math::with_sign(a, b);
  }
  static constexpr unsigned kNeeds[] = {kNeedsA | kNeedsY, kNeedsNothing};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    return where(eq(v.a, 0.0), 0.0, v.dy * (v.y / v.a));
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return zeros_like(v.dy);
  }
};

/// a log(b); 0 where a is 0 (even if b is 0) unless b is nan.
struct Xlogy {
  template <class V>
  static V value(V a, V b) {
    const V zero = a.constant(0.0);
    return select((a == zero) & (b == b), zero, a * math::log(b));
  }
  static constexpr unsigned kNeeds[] = {kNeedsA | kNeedsB, kNeedsA | kNeedsB};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>& v) {
    const Tensor flat = logical_and(eq(v.a, 0.0), not_positive(v.b));
    return v.dy * where(flat, 0.0, xlogy(ones_like(v.dy), v.b));
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return v.dy * (v.a / v.b);
  }
};

/// The Hurwitz zeta function.
struct Zeta {
  template <class V>
  static V value(V s, V q) {
    return math::zeta(s, q);
  }
  static constexpr unsigned kNeeds[] = {kNeedsNothing, kNeedsA | kNeedsB};
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>&) {
    throw Error("zeta: its derivative by the first argument is not available");
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    using Operand = decltype(v.a);
    const Operand next =
        v.a.tensor.defined() ? Operand(v.a.tensor + 1.0) : Operand(v.a.number.as_double() + 1);
    return neg(v.dy) * (zeta(next, v.b) * v.a);
  }
};

}  // namespace tide::definition
