// Definitions of comparisons, logic, bitwise ops and selection.
#pragma once

#include "runtime/ir/definitions/op_definition.h"
#include "runtime/ir/math/math.h"

namespace tide::definition {

struct Eq {
  static auto value(auto a, auto b) { return a == b; }
};
struct Ne {
  static auto value(auto a, auto b) { return a != b; }
};
struct Lt {
  static auto value(auto a, auto b) { return a < b; }
};
struct Le {
  static auto value(auto a, auto b) { return a <= b; }
};
struct Gt {
  static auto value(auto a, auto b) { return a > b; }
};
struct Ge {
  static auto value(auto a, auto b) { return a >= b; }
};

/// Everything except 0 is true, including nan.
auto truth(auto x) { return x != x.constant(0); }

struct LogicalAnd {
  static auto value(auto a, auto b) { return truth(a) & truth(b); }
};
struct LogicalOr {
  static auto value(auto a, auto b) { return truth(a) | truth(b); }
};
struct LogicalXor {
  static auto value(auto a, auto b) { return (truth(a) & !truth(b)) | (truth(b) & !truth(a)); }
};
struct LogicalNot {
  static auto value(auto x) { return !truth(x); }
};

struct BitwiseAnd {
  static auto value(auto a, auto b) { return a & b; }
};
struct BitwiseOr {
  static auto value(auto a, auto b) { return a | b; }
};
struct BitwiseXor {
  static auto value(auto a, auto b) { return a ^ b; }
};
struct BitwiseNot {
  static auto value(auto x) { return ~x; }
};

/// Whether `count` is a valid shift for its type.
auto shift_in_range(auto count) {
  const int bits = 8 * static_cast<int>(size_of(count.type()));
  return (count >= count.constant(0)) & (count < count.constant(bits));
}

/// 0 for a count that is negative or at least the type's width.
struct ShiftLeft {
  static auto value(auto a, auto count) {
    const auto valid = shift_in_range(count);
    const auto zero = a.constant(0);
    return select(valid, shift_left(a, select(valid, count, zero)), zero);
  }
};
/// Keeps the sign; only the sign is left for a count that is out of range.
struct ShiftRight {
  static auto value(auto a, auto count) {
    const auto valid = shift_in_range(count);
    const auto zero = a.constant(0);
    const auto sign = select(a < zero, a.constant(-1), zero);
    return select(valid, shift_right(a, select(valid, count, zero)), sign);
  }
};

/// The condition a is bool and has no gradient.
struct Where : Differentiable<kNeedsNothing, kNeedsA, kNeedsA> {
  static auto value(auto condition, auto a, auto b) { return select(truth(condition), a, b); }
  static auto gradient_a(const auto& v) { return decltype(v.dy)(); }
  static auto gradient_b(const auto& v) { return where(v.a.tensor, v.dy, 0.0); }
  static auto gradient_c(const auto& v) { return where(v.a.tensor, 0.0, v.dy); }
};

/// Integers are never nan or infinite.
struct IsNan {
  static auto value(auto x) { return x != x; }
};
struct IsInf {
  static auto value(auto x) {
    if (!is_floating(x.type())) return x != x;
    return abs(x) == x.constant(std::numeric_limits<double>::infinity());
  }
};
struct IsFinite {
  static auto value(auto x) {
    if (!is_floating(x.type())) return x == x;
    return abs(x) < x.constant(std::numeric_limits<double>::infinity());
  }
};

}  // namespace tide::definition
