// The two one-byte floating types: conversion between their bits and f32, for every kind of V.
//
// P. Micikevicius et al., "FP8 Formats for Deep Learning", 2022; values and rounding as in PyTorch.
// Overflow of float8_e4m3fn becomes nan, of float8_e5m2 infinity.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/ir/math/math_basic.h"
#include "runtime/ir/math/reference_value.h"
#include "runtime/types/dtype.h"

namespace tide::math {

struct Float8Format {
  int fraction, bias;  ///< bits of the fraction, and the offset of the exponents
  int first_special;   ///< the smallest magnitude that is not finite: nan or infinity
};

constexpr Float8Format float8_format(DType type) {
  return type == DType::f8e5m2 ? Float8Format{2, 15, 0x7c} : Float8Format{3, 7, 0x7f};
}

/// The f32 value of the bits in the low bytes of i32. Multiplying by a power of two adjusts the
/// exponent bias and normalizes subnormals, exactly.
template <class V>
constexpr auto f32_of_float8(V raw, DType type) {
  const auto [fraction, bias, first_special] = float8_format(type);
  const V magnitude = raw & raw.constant(0x7f);
  const V placed = shift_left(magnitude, 23 - fraction);
  const auto scaled = float_bits(placed);
  const V number = bits(scaled * scaled.constant(std::ldexp(1.0, 127 - bias)));
  const V special = placed | raw.constant(0x7f800000);
  const V sign = shift_left(raw & raw.constant(0x80), 24);
  return float_bits(select(magnitude >= raw.constant(first_special), special, number) | sign);
}

/// The bits, in the low bytes of i32, of f32 rounded to nearest, ties to even. Subnormal results
/// are rounded by adding a number whose ulp equals theirs; normal ones by carrying into the
/// remaining bits.
template <class V>
constexpr auto float8_of_f32(V x, DType type) {
  const auto [fraction, bias, first_special] = float8_format(type);
  const int dropped = 23 - fraction, rebias = (127 - bias) << 23;
  const auto all = bits(x);
  const auto magnitude = all & all.constant(0x7fffffff);
  const auto sign = shift_right(all, 24) & all.constant(0x80);
  const V unit = x.constant(std::ldexp(1.0, 24 - bias - fraction));
  const auto subnormal = bits(float_bits(magnitude) + unit) - bits(unit);
  const auto odd = shift_right(magnitude, dropped) & all.constant(1);
  const auto carried = magnitude + all.constant((1 << (dropped - 1)) - 1 - rebias) + odd;
  const auto normal = shift_right(carried, dropped);
  const auto finite = select(magnitude < all.constant(rebias + (1 << 23)), subnormal, normal);
  const auto large =
      select(magnitude > all.constant(0x7f800000), all.constant(0x7f), all.constant(first_special));
  const auto limit = all.constant(rebias + (first_special << dropped));
  return select(magnitude >= limit, large, finite) | sign;
}

}  // namespace tide::math

namespace tide {

/// A value of one of these types in memory.
template <DType type>
struct Float8 {
  uint8_t bits = 0;

  Float8() = default;
  explicit Float8(float value)
      : bits(static_cast<uint8_t>(
            math::float8_of_f32(reference::Value<float>(value), type).number())) {}
  operator float() const {
    return math::f32_of_float8(reference::Value<int32_t>(bits), type).number();
  }
};

}  // namespace tide
