// Definitions of comparisons, logic, bitwise ops and selection.
#pragma once

#include "runtime/ir/definitions/op_gradient.h"
#include "runtime/ir/math/math.h"

namespace tide::definition {

struct Eq {
  template <class V>
  static auto value(V a, V b) {
    return a == b;
  }
};
struct Ne {
  template <class V>
  static auto value(V a, V b) {
    return a != b;
  }
};
struct Lt {
  template <class V>
  static auto value(V a, V b) {
    return a < b;
  }
};
struct Le {
  template <class V>
  static auto value(V a, V b) {
    return a <= b;
  }
};
struct Gt {
  template <class V>
  static auto value(V a, V b) {
    return a > b;
  }
};
struct Ge {
  template <class V>
  static auto value(V a, V b) {
    return a >= b;
  }
};

/// Everything except 0 is true, including nan.
template <class V>
auto truth(V x) {
  return x != x.constant(0);
}

struct LogicalAnd {
  template <class V>
  static auto value(V a, V b) {
    return truth(a) & truth(b);
  }
};
struct LogicalOr {
  template <class V>
  static auto value(V a, V b) {
    return truth(a) | truth(b);
  }
};
struct LogicalXor {
  template <class V>
  static auto value(V a, V b) {
    return (truth(a) & !truth(b)) | (truth(b) & !truth(a));
  }
};
struct LogicalNot {
  template <class V>
  static auto value(V x) {
    return !truth(x);
  }
};

struct BitwiseAnd {
  template <class V>
  static V value(V a, V b) {
    return a & b;
  }
};
struct BitwiseOr {
  template <class V>
  static V value(V a, V b) {
    return a | b;
  }
};
struct BitwiseXor {
  template <class V>
  static V value(V a, V b) {
    return a ^ b;
  }
};
struct BitwiseNot {
  template <class V>
  static V value(V x) {
    return ~x;
  }
};

/// Whether `count` is a valid shift for its type.
template <class V>
auto shift_in_range(V count) {
  const int bits = 8 * static_cast<int>(size_of(count.type()));
  return (count >= count.constant(0)) & (count < count.constant(bits));
}

/// 0 for a count that is negative or at least the type's width.
struct ShiftLeft {
  template <class V>
  static V value(V a, V count) {
    const auto valid = shift_in_range(count);
    const V zero = a.constant(0);
    return select(valid, shift_left(a, select(valid, count, zero)), zero);
  }
};
/// Keeps the sign; only the sign is left for a count that is out of range.
struct ShiftRight {
  template <class V>
  static V value(V a, V count) {
    const auto valid = shift_in_range(count);
    const V zero = a.constant(0);
    const V sign = select(a < zero, a.constant(-1), zero);
    return select(valid, shift_right(a, select(valid, count, zero)), sign);
  }
};

struct Where {
  template <class C, class V>
  static V value(C condition, V a, V b) {
    return select(truth(condition), a, b);
  }
  static constexpr unsigned kNeeds[] = {kNeedsNothing, kNeedsA, kNeedsA};
  /// The condition is bool and has no gradient.
  template <class Tensor>
  static Tensor gradient_a(const Operands<Tensor>&) {
    return Tensor();
  }
  template <class Tensor>
  static Tensor gradient_b(const Operands<Tensor>& v) {
    return where(v.a.tensor, v.dy, 0.0);
  }
  template <class Tensor>
  static Tensor gradient_c(const Operands<Tensor>& v) {
    return where(v.a.tensor, 0.0, v.dy);
  }
};

/// Integers are never nan or infinite.
struct IsNan {
  template <class V>
  static auto value(V x) {
    return x != x;
  }
};
struct IsInf {
  template <class V>
  static auto value(V x) {
    if (!is_floating(x.type())) return x != x;
    return abs(x) == x.constant(std::numeric_limits<double>::infinity());
  }
};
struct IsFinite {
  template <class V>
  static auto value(V x) {
    if (!is_floating(x.type())) return x == x;
    return abs(x) < x.constant(std::numeric_limits<double>::infinity());
  }
};

}  // namespace tide::definition
