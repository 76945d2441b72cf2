// The V of op_definition.h on the host and in CUDA compute kernels: one scalar, evaluated
// immediately, with the same bits as fused kernels.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/ir/math/large_argument.h"
#include "runtime/types/dtype.h"

namespace tide::reference {

/// The result of a comparison.
struct Mask {
  bool holds;
};
constexpr Mask operator&(Mask a, Mask b) { return {a.holds && b.holds}; }
constexpr Mask operator|(Mask a, Mask b) { return {a.holds || b.holds}; }
constexpr Mask operator!(Mask a) { return {!a.holds}; }

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return DType::boolean;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::u8;
  if constexpr (std::is_same_v<T, int8_t>) return DType::i8;
  if constexpr (std::is_same_v<T, int16_t>) return DType::i16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::i32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::i64;
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  if constexpr (std::is_same_v<T, double>) return DType::f64;
}

template <DType D>
struct Host;
template <>
struct Host<DType::boolean> : std::type_identity<bool> {};
template <>
struct Host<DType::u8> : std::type_identity<uint8_t> {};
template <>
struct Host<DType::i8> : std::type_identity<int8_t> {};
template <>
struct Host<DType::i16> : std::type_identity<int16_t> {};
template <>
struct Host<DType::i32> : std::type_identity<int32_t> {};
template <>
struct Host<DType::i64> : std::type_identity<int64_t> {};
template <>
struct Host<DType::f32> : std::type_identity<float> {};
template <>
struct Host<DType::f64> : std::type_identity<double> {};

template <class T>
class Value {
 public:
  using Mask = reference::Mask;

  constexpr explicit Value(T number) : number_(number) {}

  static constexpr DType type() { return dtype_of<T>(); }
  constexpr T number() const { return number_; }
  template <class Number>
  constexpr Value constant(Number number) const {
    return Value(static_cast<T>(number));
  }

 private:
  T number_;
};

/// Integers compute in unsigned 64 bits, where everything wraps, and are truncated.
template <class T>
constexpr uint64_t wide(Value<T> a) {
  return static_cast<uint64_t>(static_cast<int64_t>(a.number()));
}
template <class T>
constexpr Value<T> narrow(uint64_t a) {
  return Value<T>(static_cast<T>(a));
}

template <class T>
constexpr Value<T> operator+(Value<T> a, Value<T> b) {
  if constexpr (std::is_floating_point_v<T>)
    return Value<T>(a.number() + b.number());
  else
    return narrow<T>(wide(a) + wide(b));
}
template <class T>
constexpr Value<T> operator-(Value<T> a, Value<T> b) {
  if constexpr (std::is_floating_point_v<T>)
    return Value<T>(a.number() - b.number());
  else
    return narrow<T>(wide(a) - wide(b));
}
template <class T>
constexpr Value<T> operator*(Value<T> a, Value<T> b) {
  if constexpr (std::is_floating_point_v<T>)
    return Value<T>(a.number() * b.number());
  else
    return narrow<T>(wide(a) * wide(b));
}
template <class T>
constexpr Value<T> operator-(Value<T> a) {
  if constexpr (std::is_floating_point_v<T>)
    return Value<T>(-a.number());
  else
    return narrow<T>(0 - wide(a));
}
/// Only for floating types.
template <class T>
constexpr Value<T> operator/(Value<T> a, Value<T> b) {
  if constexpr (std::is_floating_point_v<T>)
    return Value<T>(a.number() / b.number());
  else
    return a;
}

template <class T>
constexpr Value<T> quotient(Value<T> a, Value<T> b) {
  if constexpr (std::is_integral_v<T>) {
    if (std::is_signed_v<T> && b.number() == static_cast<T>(-1)) return -a;
    return Value<T>(static_cast<T>(a.number() / b.number()));
  } else {
    return a;
  }
}
template <class T>
constexpr Value<T> remainder(Value<T> a, Value<T> b) {
  if constexpr (std::is_integral_v<T>) {
    if (std::is_signed_v<T> && b.number() == static_cast<T>(-1)) return Value<T>(0);
    return Value<T>(static_cast<T>(a.number() % b.number()));
  } else {
    return a;
  }
}

template <class T>
constexpr Value<T> fma(Value<T> a, Value<T> b, Value<T> c) {
  return Value<T>(std::fma(a.number(), b.number(), c.number()));
}
template <class T>
constexpr Value<T> abs(Value<T> a) {
  if constexpr (std::is_floating_point_v<T>)
    return Value<T>(std::fabs(a.number()));
  else
    return a.number() < T(0) ? -a : a;
}
template <class T>
constexpr Value<T> sqrt(Value<T> a) {
  return Value<T>(std::sqrt(a.number()));
}
template <class T>
constexpr Value<T> floor(Value<T> a) {
  return Value<T>(static_cast<T>(std::floor(a.number())));
}
template <class T>
constexpr Value<T> ceil(Value<T> a) {
  return Value<T>(static_cast<T>(std::ceil(a.number())));
}
template <class T>
constexpr Value<T> trunc(Value<T> a) {
  return Value<T>(static_cast<T>(std::trunc(a.number())));
}
template <class T>
constexpr Value<T> round_even(Value<T> a) {
  return Value<T>(static_cast<T>(std::nearbyint(a.number())));
}
/// nan wins; -0 is below 0.
template <class T>
constexpr Value<T> minimum(Value<T> a, Value<T> b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a.number()) || std::isnan(b.number())) return a + b;
    if (a.number() == b.number()) return std::signbit(a.number()) ? a : b;
  }
  return a.number() < b.number() ? a : b;
}
template <class T>
constexpr Value<T> maximum(Value<T> a, Value<T> b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a.number()) || std::isnan(b.number())) return a + b;
    if (a.number() == b.number()) return std::signbit(a.number()) ? b : a;
  }
  return a.number() > b.number() ? a : b;
}

template <class T>
constexpr Mask operator==(Value<T> a, Value<T> b) {
  return {a.number() == b.number()};
}
template <class T>
constexpr Mask operator!=(Value<T> a, Value<T> b) {
  return {a.number() != b.number()};
}
template <class T>
constexpr Mask operator<(Value<T> a, Value<T> b) {
  return {a.number() < b.number()};
}
template <class T>
constexpr Mask operator<=(Value<T> a, Value<T> b) {
  return {a.number() <= b.number()};
}
template <class T>
constexpr Mask operator>(Value<T> a, Value<T> b) {
  return {a.number() > b.number()};
}
template <class T>
constexpr Mask operator>=(Value<T> a, Value<T> b) {
  return {a.number() >= b.number()};
}
template <class T>
constexpr Value<T> select(Mask mask, Value<T> a, Value<T> b) {
  return Value<T>(mask.holds ? a.number() : b.number());
}

/// Bit operations are for integers and bool; for floating types they only have to compile.
template <class T>
constexpr Value<T> operator&(Value<T> a, Value<T> b) {
  return narrow<T>(wide(a) & wide(b));
}
template <class T>
constexpr Value<T> operator|(Value<T> a, Value<T> b) {
  return narrow<T>(wide(a) | wide(b));
}
template <class T>
constexpr Value<T> operator^(Value<T> a, Value<T> b) {
  return narrow<T>(wide(a) ^ wide(b));
}
template <class T>
constexpr Value<T> operator~(Value<T> a) {
  if constexpr (std::is_same_v<T, bool>)
    return Value<T>(!a.number());
  else
    return narrow<T>(~wide(a));
}
template <class T>
constexpr Value<T> shift_left(Value<T> a, Value<T> count) {
  return narrow<T>(wide(a) << wide(count));
}
/// Arithmetic for signed types.
template <class T>
constexpr Value<T> shift_right(Value<T> a, Value<T> count) {
  return Value<T>(static_cast<T>(static_cast<int64_t>(a.number()) >> wide(count)));
}
template <class T>
constexpr Value<T> shift_left(Value<T> a, int count) {
  return shift_left(a, a.constant(count));
}
template <class T>
constexpr Value<T> shift_right(Value<T> a, int count) {
  return shift_right(a, a.constant(count));
}

/// Floating to integer saturates in 64 bits and then wraps; nan becomes 0.
template <DType D, class T>
constexpr auto convert(Value<T> a) {
  using Result = typename Host<D>::type;
  if constexpr (std::is_floating_point_v<T> && std::is_integral_v<Result> &&
                !std::is_same_v<Result, bool>) {
    constexpr T limit = static_cast<T>(9223372036854775808.0);
    int64_t whole = 0;
    if (a.number() >= limit)
      whole = std::numeric_limits<int64_t>::max();
    else if (a.number() < -limit)
      whole = std::numeric_limits<int64_t>::min();
    else if (a.number() == a.number())
      whole = static_cast<int64_t>(a.number());
    return Value<Result>(static_cast<Result>(whole));
  } else {
    return Value<Result>(static_cast<Result>(a.number()));
  }
}
/// Types are static on the host, so this only supports a's own type.
template <class T>
constexpr Value<T> convert(Value<T> a, DType) {
  return a;
}

constexpr Value<int32_t> bits(Value<float> a) { return Value(std::bit_cast<int32_t>(a.number())); }
constexpr Value<int64_t> bits(Value<double> a) { return Value(std::bit_cast<int64_t>(a.number())); }
constexpr Value<float> float_bits(Value<int32_t> a) {
  return Value(std::bit_cast<float>(a.number()));
}
constexpr Value<double> float_bits(Value<int64_t> a) {
  return Value(std::bit_cast<double>(a.number()));
}
constexpr Value<int64_t> as_unsigned_multiply_high(Value<int64_t> a, Value<int64_t> b) {
  return narrow<int64_t>(wide(a) * wide(b) >> 32);
}

inline std::array<Value<double>, 2> reduce_large_arguments(Mask far, Value<double> x,
                                                           std::array<Value<double>, 2> near) {
  if (!far.holds) return near;
  const ReducedArgument placed = reduce_large_argument(x.number());
  return {Value(placed.number), Value(placed.r)};
}

template <class T, class Unfinished, class Step>
constexpr Value<T> while_any(Value<T> state, const Unfinished& unfinished, const Step& step) {
  while (unfinished(state).holds) state = step(state);
  return state;
}
template <class T, class Unfinished, class Step>
constexpr std::array<Value<T>, 2> while_any(std::array<Value<T>, 2> state,
                                            const Unfinished& unfinished, const Step& step) {
  while (unfinished(state).holds) state = step(state);
  return state;
}

}  // namespace tide::reference
