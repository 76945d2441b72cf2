// Definitions and gradients of arithmetic on two or more arguments.
#pragma once

#include "runtime/ir/definitions/op_definition.h"
#include "runtime/ir/math/math.h"
#include "runtime/types/error.h"

namespace tide::definition {

bool is_bool(auto x) { return x.type() == DType::boolean; }

/// Whether one is negative and the other positive.
auto opposite_signs(auto a, auto b) {
  const auto zero = a.constant(0);
  return ((a < zero) & (b > zero)) | ((a > zero) & (b < zero));
}

/// The divisor of integers, 1 instead of 0. Zero divisors are reported by a separate check
/// (nonzero_divisor, elementwise_binary.cpp), but the loop may still run.
auto safe_divisor(auto b) { return select(b == b.constant(0), b.constant(1), b); }

/// Sum and product of bool are "or" and "and".
struct Add : Differentiable<kNeedsNothing, kNeedsNothing> {
  static auto value(auto a, auto b) { return is_bool(a) ? a | b : a + b; }
  static auto gradient_a(const auto& v) { return v.dy; }
  static auto gradient_b(const auto& v) { return v.dy; }
};
struct Sub : Differentiable<kNeedsNothing, kNeedsNothing> {
  static auto value(auto a, auto b) { return a - b; }
  static auto gradient_a(const auto& v) { return v.dy; }
  static auto gradient_b(const auto& v) { return neg(v.dy); }
};
struct Mul : Differentiable<kNeedsB, kNeedsA> {
  static auto value(auto a, auto b) { return is_bool(a) ? a & b : a * b; }
  static auto gradient_a(const auto& v) { return v.dy * v.b; }
  static auto gradient_b(const auto& v) { return v.dy * v.a; }
};
struct Div : Differentiable<kNeedsB, kNeedsB | kNeedsY> {
  static auto value(auto a, auto b) { return a / b; }
  static auto gradient_a(const auto& v) { return v.dy / v.b; }
  static auto gradient_b(const auto& v) { return neg(v.dy) * (v.y / v.b); }
};

/// a + alpha * b.
struct AddScaled : Differentiable<kNeedsNothing, kNeedsNothing> {
  static auto value(auto a, auto b, auto alpha) { return a + alpha * b; }
  static auto gradient_a(const auto& v) { return v.dy; }
  static auto gradient_b(const auto& v) { return v.dy * v.c; }
};
struct SubScaled : Differentiable<kNeedsNothing, kNeedsNothing> {
  static auto value(auto a, auto b, auto alpha) { return a - alpha * b; }
  static auto gradient_a(const auto& v) { return v.dy; }
  static auto gradient_b(const auto& v) { return neg(v.dy) * v.c; }
};

/// a + scale * b * c.
struct Addcmul : Differentiable<kNeedsNothing, kNeedsC, kNeedsB> {
  static auto value(auto a, auto b, auto c, auto scale) { return a + scale * b * c; }
  static auto gradient_a(const auto& v) { return v.dy; }
  static auto gradient_b(const auto& v) { return v.dy * v.c * v.d; }
  static auto gradient_c(const auto& v) { return v.dy * v.b * v.d; }
};
/// a + scale * b / c.
struct Addcdiv : Differentiable<kNeedsNothing, kNeedsC, kNeedsB | kNeedsC> {
  static auto value(auto a, auto b, auto c, auto scale) { return a + scale * b / c; }
  static auto gradient_a(const auto& v) { return v.dy; }
  static auto gradient_b(const auto& v) { return v.dy * v.d / v.c; }
  static auto gradient_c(const auto& v) { return neg(v.dy) * v.d * v.b / square(v.c.tensor); }
};

/// a + weight * (b - a), computed from the nearer end so that both ends are exact.
struct Lerp : Differentiable<kNeedsC, kNeedsC, kNeedsA | kNeedsB> {
  static auto value(auto a, auto b, auto weight) {
    const auto distance = b - a;
    const auto from_b = b - distance * (weight.constant(1.0) - weight);
    return select(abs(weight) < weight.constant(0.5), a + weight * distance, from_b);
  }
  static auto gradient_a(const auto& v) { return v.dy - v.dy * v.c; }
  static auto gradient_b(const auto& v) { return v.dy * v.c; }
  static auto gradient_c(const auto& v) { return v.dy * (v.b - v.a); }
};

/// The gradients of a function that is constant between its jumps.
struct ZeroGradients : Differentiable<kNeedsNothing, kNeedsNothing> {
  static auto gradient_a(const auto& v) { return zeros_like(v.dy); }
  static auto gradient_b(const auto& v) { return zeros_like(v.dy); }
};

/// floor(a / b). Integers by 0: 0.
struct FloorDivide : ZeroGradients {
  static auto value(auto a, auto b) {
    return math::by_kind(
        a, b, [](auto x, auto y) { return floating(x, y); },
        [](auto x, auto y) { return integer(x, y); });
  }

  static auto floating(auto a, auto b) {
    // f64 is precise enough for the floor of every quotient of two f32.
    if (math::is_wide(a)) return corrected(a, b);
    return math::converted(corrected(math::widened(a), math::widened(b)), a);
  }

  static auto integer(auto a, auto b) {
    const auto zero = a.constant(0);
    const auto divisor = safe_divisor(b);
    const auto q = quotient(a, divisor);
    const auto below = opposite_signs(remainder(a, divisor), b);
    return select(b == zero, zero, select(below, q - a.constant(1), q));
  }

  /// Corrects the rounding of a / b: the remainder a - q b must have the sign of b.
  static auto corrected(auto a, auto b) {
    const auto zero = a.constant(0.0);
    const auto infinity = a.constant(std::numeric_limits<double>::infinity());
    const auto q = floor(a / b);
    const auto q_high = math::head(q);
    const auto b_high = math::head(b);
    const auto q_low = q - q_high;
    const auto b_low = b - b_high;
    const auto r = (((a - q_high * b_high) - q_high * b_low) - q_low * b_high) - q_low * b_low;
    // A negative quotient that underflows f64 is still below 0.
    const auto vanished = (q == zero) & opposite_signs(a, b);
    const auto result = select(opposite_signs(r, b) | vanished, q - a.constant(1.0), q);
    return select((abs(a) == infinity) & (b != zero), a - a, result);
  }
};

/// a / b truncated to an integer. Integers by 0: 0.
struct TruncDivide : ZeroGradients {
  static auto value(auto a, auto b) {
    if (is_floating(a.type())) return trunc(a / b);
    const auto zero = a.constant(0);
    return select(b == zero, zero, quotient(a, safe_divisor(b)));
  }
};

/// a - b * trunc(a / b), exactly, with the sign of a. Integers by 0: a.
struct Fmod : Differentiable<kNeedsNothing, kNeedsA | kNeedsB> {
  static auto value(auto a, auto b) {
    return math::by_kind(
        a, b, [](auto x, auto y) { return math::fmod(x, y); },
        [](auto x, auto y) {
          return select(y == y.constant(0), x, remainder(x, safe_divisor(y)));
        });
  }
  static auto gradient_a(const auto& v) { return v.dy; }
  static auto gradient_b(const auto& v) { return neg(v.dy) * div(v.a, v.b, "trunc"); }
};

/// a - b * floor(a / b), with the sign of b. Integers by 0: a.
struct Remainder : Differentiable<kNeedsNothing, kNeedsA | kNeedsB> {
  static auto value(auto a, auto b) {
    const auto m = Fmod::value(a, b);
    return select(opposite_signs(m, b), m + b, m);
  }
  static auto gradient_a(const auto& v) { return v.dy; }
  static auto gradient_b(const auto& v) { return neg(v.dy) * floor_divide(v.a, v.b); }
};

/// C's pow; integers wrap around.
struct Pow : Differentiable<kNeedsA | kNeedsB, kNeedsA | kNeedsB | kNeedsY> {
  static auto value(auto a, auto b) {
    return math::by_kind(
        a, b, [](auto x, auto y) { return math::pow(x, y); },
        [](auto x, auto y) { return math::integer_pow(x, y); });
  }
  /// b a^(b - 1), 0 where b is 0.
  static auto gradient_a(const auto& v) {
    if (!v.b.tensor.defined()) {
      const double power = v.b.number.as_double();
      return power == 0 ? zeros_like(v.dy) : v.dy * (power * pow(v.a, power - 1.0));
    }
    return where(eq(v.b, 0.0), 0.0, v.dy * (v.b * pow(v.a, v.b - 1.0)));
  }
  /// a^b log(a), 0 where a is 0 and b is not negative.
  static auto gradient_b(const auto& v) {
    if (!v.a.tensor.defined()) {
      const double base = v.a.number.as_double();
      const auto slope = v.dy * (v.y * std::log(base));
      return base == 0 ? where(ge(v.b, 0.0), 0.0, slope) : slope;
    }
    const auto flat = logical_and(eq(v.a, 0.0), ge(v.b, 0.0));
    return where(flat, 0.0, v.dy * (v.y * log(convert(v.a.tensor, v.y.dtype()))));
  }
};

/// dy if this argument did not lose (neither loses to nan), half of it if both are equal.
auto half_at_ties(const auto& a, const auto& b, const auto& lost, const auto& dy) {
  return where(eq(a, b), dy * 0.5, where(lost, 0.0, dy));
}

/// The larger one; nan wins. Equal ones share the gradient.
struct Maximum : Differentiable<kNeedsA | kNeedsB, kNeedsA | kNeedsB> {
  static auto value(auto a, auto b) { return is_bool(a) ? a | b : maximum(a, b); }
  static auto gradient_a(const auto& v) { return half_at_ties(v.a, v.b, lt(v.a, v.b), v.dy); }
  static auto gradient_b(const auto& v) { return half_at_ties(v.a, v.b, lt(v.b, v.a), v.dy); }
};
struct Minimum : Differentiable<kNeedsA | kNeedsB, kNeedsA | kNeedsB> {
  static auto value(auto a, auto b) { return is_bool(a) ? a & b : minimum(a, b); }
  static auto gradient_a(const auto& v) { return half_at_ties(v.a, v.b, gt(v.a, v.b), v.dy); }
  static auto gradient_b(const auto& v) { return half_at_ties(v.a, v.b, gt(v.b, v.a), v.dy); }
};

/// The larger one; nan loses. If equal, the first gets the gradient.
struct Fmax : Differentiable<kNeedsA | kNeedsB, kNeedsA | kNeedsB> {
  static auto value(auto a, auto b) {
    return is_bool(a) ? a | b : select((a >= b) | (b != b), a, b);
  }
  static auto first_wins(const auto& v) { return logical_or(ge(v.a, v.b), not_a_number(v.b)); }
  static auto gradient_a(const auto& v) { return where(first_wins(v), v.dy, 0.0); }
  static auto gradient_b(const auto& v) { return where(first_wins(v), 0.0, v.dy); }
};
struct Fmin : Differentiable<kNeedsA | kNeedsB, kNeedsA | kNeedsB> {
  static auto value(auto a, auto b) {
    return is_bool(a) ? a & b : select((a <= b) | (b != b), a, b);
  }
  static auto first_wins(const auto& v) { return logical_or(le(v.a, v.b), not_a_number(v.b)); }
  static auto gradient_a(const auto& v) { return where(first_wins(v), v.dy, 0.0); }
  static auto gradient_b(const auto& v) { return where(first_wins(v), 0.0, v.dy); }
};

/// x clamped to low and high; high wins if they cross. As in PyTorch, x gets the gradient at the
/// bounds.
struct Clamp : Differentiable<kNeedsA | kNeedsB | kNeedsC, kNeedsA | kNeedsB | kNeedsC,
                              kNeedsA | kNeedsB | kNeedsC> {
  static auto value(auto x, auto low, auto high) {
    return Minimum::value(Maximum::value(x, low), high);
  }
  static auto gradient_a(const auto& v) {
    return where(logical_and(ge(v.a, v.b), le(v.a, v.c)), v.dy, 0.0);
  }
  static auto gradient_b(const auto& v) {
    return where(logical_and(lt(v.b, v.c), lt(v.a, v.b)), v.dy, 0.0);
  }
  static auto gradient_c(const auto& v) {
    return where(logical_or(gt(v.a, v.c), lt(v.c, v.b)), v.dy, 0.0);
  }
};

/// The angle of the point (b, a).
struct Atan2 : Differentiable<kNeedsA | kNeedsB, kNeedsA | kNeedsB> {
  static auto value(auto a, auto b) { return math::atan2(a, b); }
  /// a^2 + b^2; 1 at the origin, where the angle is undefined and its gradient counts as 0.
  static auto norm(const auto& v) {
    const auto square = squared(v.a) + squared(v.b);
    return where(eq(square, 0.0), 1.0, square);
  }
  static auto gradient_a(const auto& v) { return v.dy * (v.b / norm(v)); }
  static auto gradient_b(const auto& v) { return neg(v.dy) * (v.a / norm(v)); }
};

/// sqrt(a^2 + b^2) without overflow.
struct Hypot : Differentiable<kNeedsA | kNeedsY, kNeedsB | kNeedsY> {
  static auto value(auto a, auto b) { return math::hypot(a, b); }
  static auto gradient_a(const auto& v) { return v.dy * (v.a / v.y); }
  static auto gradient_b(const auto& v) { return v.dy * (v.b / v.y); }
};

/// log(exp(a) + exp(b)); equal infinities are returned unchanged.
struct LogAddExp : Differentiable<kNeedsA | kNeedsB, kNeedsA | kNeedsB> {
  static auto value(auto a, auto b) {
    const auto smooth = maximum(a, b) + math::log1p(math::exp(-abs(a - b)));
    const auto nothing = a - a;  // 0, except for infinities and nan
    return select((a == b) & (nothing != nothing), a, smooth);
  }
  static auto gradient_a(const auto& v) { return v.dy * sigmoid(v.a - v.b); }
  static auto gradient_b(const auto& v) { return v.dy * sigmoid(v.b - v.a); }
};

/// The magnitude of a with the sign of b.
struct Copysign : Differentiable<kNeedsA | kNeedsY, kNeedsNothing> {
  static auto value(auto a, auto b) { return math::with_sign(a, b); }
  static auto gradient_a(const auto& v) { return where(eq(v.a, 0.0), 0.0, v.dy * (v.y / v.a)); }
  static auto gradient_b(const auto& v) { return zeros_like(v.dy); }
};

/// a log(b); 0 where a is 0 (even if b is 0) unless b is nan.
struct Xlogy : Differentiable<kNeedsA | kNeedsB, kNeedsA | kNeedsB> {
  static auto value(auto a, auto b) {
    const auto zero = a.constant(0.0);
    return select((a == zero) & (b == b), zero, a * math::log(b));
  }
  static auto gradient_a(const auto& v) {
    const auto flat = logical_and(eq(v.a, 0.0), not_positive(v.b));
    return v.dy * where(flat, 0.0, xlogy(ones_like(v.dy), v.b));
  }
  static auto gradient_b(const auto& v) { return v.dy * (v.a / v.b); }
};

/// The Hurwitz zeta function.
struct Zeta : Differentiable<kNeedsNothing, kNeedsA | kNeedsB> {
  static auto value(auto s, auto q) { return math::zeta(s, q); }
  static auto gradient_a(const auto& v) -> decltype(v.dy) {
    throw Error("zeta: its derivative by the first argument is not available");
  }
  static auto gradient_b(const auto& v) {
    using Operand = decltype(v.a);
    const Operand next =
        v.a.tensor.defined() ? Operand(v.a.tensor + 1.0) : Operand(v.a.number.as_double() + 1);
    return neg(v.dy) * (zeta(next, v.b) * v.a);
  }
};

}  // namespace tide::definition
