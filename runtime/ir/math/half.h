// The two half-precision types as plain structs that convert to and from float.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace tide {

/// Upper half of a float: 8 bits of exponent, 7 of mantissa.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  /// Rounds to nearest, ties to even.
  explicit BFloat16(float value) {
    const uint32_t wide = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = (wide + 0x7fff + ((wide >> 16) & 1)) >> 16;
    bits = static_cast<uint16_t>(value == value ? rounded : (wide >> 16) | 0x40);
  }
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

/// IEEE binary16. Conversions are branch-free, so that loops over them vectorize.
struct Float16 {
  uint16_t bits = 0;

  Float16() = default;
  /// Rounds to nearest, ties to even; overflows to infinity.
  explicit Float16(float value) {
    const uint32_t wide = std::bit_cast<uint32_t>(value);
    const uint32_t sign = wide & 0x80000000u, magnitude = wide ^ sign;
    // Below 2^-14 the float adder itself rounds to the spacing of subnormals, 2^-24.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    const uint32_t subnormal = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f);
    const uint32_t rebias = magnitude - (112u << 23);
    const uint32_t normal = (rebias + 0xfff + ((rebias >> 13) & 1)) >> 13;
    const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    // 65520 and more round to infinity.
    const uint32_t finite = magnitude < (113u << 23) ? subnormal : normal;
    bits = static_cast<uint16_t>((magnitude >= 0x477ff000u ? special : finite) | sign >> 16);
  }
  operator float() const {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7fffu) << 13;
    // Multiplying by 2^112 adjusts the exponent bias and normalizes subnormals.
    const float finite = std::bit_cast<float>(magnitude) * 0x1p112f;
    const uint32_t special = magnitude | 0x7f800000u;
    const uint32_t result = magnitude >= 0x0f800000u ? special : std::bit_cast<uint32_t>(finite);
    return std::bit_cast<float>(result | sign);
  }
};

}  // namespace tide
