// Values of raw register bits, and functions on values as functions on bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "tests/cuda/fake/ptx/arithmetic.h"
#include "tests/cuda/fake/ptx/instruction.h"

namespace fake {

[[noreturn]] inline void unknown_form(const Instruction& at) {
  throw PtxError("line " + std::to_string(at.line) +
                 ": a form that the interpreter does not know: ." + at.mode);
}

template <class T>
T from_raw(uint64_t raw) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<uint32_t>(raw));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(raw);
  else
    return static_cast<T>(raw);
}

template <class T>
uint64_t to_raw(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<uint64_t>(value);
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

inline float half_to_float(uint16_t raw) {
  return static_cast<float>(std::bit_cast<_Float16>(raw));
}
inline uint16_t float_to_half(float value) {
  return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
}
inline float brain_to_float(uint16_t raw) { return std::bit_cast<float>(uint32_t{raw} << 16); }
inline uint16_t float_to_brain(float value) {
  const auto raw = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return 0x7fff;
  return static_cast<uint16_t>((raw + 0x7fff + (raw >> 16 & 1)) >> 16);
}

/// Half types: float is precise enough for sums, differences and products, so that rounding twice
/// is exact (see runtime/codegen/llvm/packed.cpp).
struct Half {};
struct Brain {};

/// The value of raw bits of type T.
template <class T>
auto value_of(uint64_t raw) {
  if constexpr (std::is_same_v<T, Half>)
    return half_to_float(static_cast<uint16_t>(raw));
  else if constexpr (std::is_same_v<T, Brain>)
    return brain_to_float(static_cast<uint16_t>(raw));
  else
    return from_raw<T>(raw);
}

/// A function of one to three values of T, as one of raw bits. F has no state.
template <class T, class F>
struct OnRaw {
  using Value = decltype(value_of<T>(0));

  uint64_t operator()(uint64_t a, uint64_t b, uint64_t c, uint64_t /*d*/) const {
    const auto result = [&] {
      if constexpr (std::is_invocable_v<F, Value>)
        return F{}(value_of<T>(a));
      else if constexpr (std::is_invocable_v<F, Value, Value>)
        return F{}(value_of<T>(a), value_of<T>(b));
      else
        return F{}(value_of<T>(a), value_of<T>(b), value_of<T>(c));
    }();
    if constexpr (std::is_same_v<T, Half>)
      return float_to_half(result);
    else if constexpr (std::is_same_v<T, Brain>)
      return float_to_brain(result);
    else
      return to_raw(result);
  }
};

/// A function on the two halves of 32 bits.
template <class T, class F>
struct OnBothHalves {
  uint64_t operator()(uint64_t a, uint64_t b, uint64_t c, uint64_t d) const {
    constexpr OnRaw<T, F> kHalf;
    const uint64_t low = kHalf(a & 0xffff, b & 0xffff, c & 0xffff, d);
    const uint64_t high = kHalf(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff, d);
    return low | high << 16;
  }
};

template <class T, class F>
Compute made(const Instruction& at, F) {
  if (!at.packed) return OnRaw<T, F>();
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Brain> || sizeof(T) == 2)
    return OnBothHalves<T, F>();
  else
    unknown_form(at);
}

/// Calls visitor(T()) with the C++ type that calculates in `type`; plain bits are unsigned.
template <class Visitor>
Compute visit_integer(Type type, const Instruction& at, const Visitor& visitor) {
  switch (type) {
    case Type::b8:
    case Type::u8:
    case Type::pred:
      return visitor(uint8_t());
    case Type::b16:
    case Type::u16:
      return visitor(uint16_t());
    case Type::b32:
    case Type::u32:
      return visitor(uint32_t());
    case Type::b64:
    case Type::u64:
      return visitor(uint64_t());
    case Type::s8:
      return visitor(int8_t());
    case Type::s16:
      return visitor(int16_t());
    case Type::s32:
      return visitor(int32_t());
    case Type::s64:
      return visitor(int64_t());
    default:
      unknown_form(at);
  }
}
template <class Visitor>
Compute visit(Type type, const Instruction& at, const Visitor& visitor) {
  if (type == Type::f32) return visitor(float());
  if (type == Type::f64) return visitor(double());
  return visit_integer(type, at, visitor);
}

}  // namespace fake
