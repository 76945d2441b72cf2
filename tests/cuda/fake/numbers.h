// Element types of the fake libraries.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace fake {

enum class Format { f32, f64, f16, bf16, f8e4m3, f8e5m2, i8, i32 };

/// The value of a float8 with these fraction bits and this bias; the format with bias 7 has no
/// infinities.
inline double read_float8(uint8_t bits, int fraction, int bias) {
  const int exponent = (bits & 0x7f) >> fraction, digits = bits & ((1 << fraction) - 1);
  const double sign = bits & 0x80 ? -1 : 1;
  if (bias == 7 ? (bits & 0x7f) == 0x7f : exponent == 31 && digits) return NAN;
  if (bias != 7 && exponent == 31) return sign * INFINITY;
  const double of_one = exponent ? 1 : 0;
  const int power = (exponent ? exponent : 1) - bias;
  return sign * std::ldexp(of_one + std::ldexp(digits, -fraction), power);
}

inline double read_number(const void* data, Format format, int64_t i) {
  switch (format) {
    case Format::f32:
      return static_cast<const float*>(data)[i];
    case Format::f64:
      return static_cast<const double*>(data)[i];
    case Format::f16:
      return static_cast<const _Float16*>(data)[i];
    case Format::i8:
      return static_cast<const int8_t*>(data)[i];
    case Format::f8e4m3:
      return read_float8(static_cast<const uint8_t*>(data)[i], 3, 7);
    case Format::f8e5m2:
      return read_float8(static_cast<const uint8_t*>(data)[i], 2, 15);
    case Format::i32:
      return static_cast<const int32_t*>(data)[i];
    case Format::bf16:
      break;
  }
  const uint32_t raw = uint32_t{static_cast<const uint16_t*>(data)[i]} << 16;
  float value;
  std::memcpy(&value, &raw, 4);
  return value;
}

/// Rounds to the format, halves via float. The value must fit integers.
inline void write_number(void* data, Format format, int64_t i, double value) {
  const auto single = static_cast<float>(value);
  switch (format) {
    case Format::f32:
      static_cast<float*>(data)[i] = single;
      return;
    case Format::f64:
      static_cast<double*>(data)[i] = value;
      return;
    case Format::f16:
      static_cast<_Float16*>(data)[i] = static_cast<_Float16>(single);
      return;
    case Format::i8:
      static_cast<int8_t*>(data)[i] = static_cast<int8_t>(value);
      return;
    case Format::i32:
      static_cast<int32_t*>(data)[i] = static_cast<int32_t>(value);
      return;
    case Format::f8e4m3:  // never written by a library
    case Format::f8e5m2:
      return;
    case Format::bf16:
      break;
  }
  uint32_t raw;
  std::memcpy(&raw, &single, 4);
  const bool nan = single != single;
  static_cast<uint16_t*>(data)[i] =
      nan ? 0x7fff : static_cast<uint16_t>((raw + 0x7fff + (raw >> 16 & 1)) >> 16);
}

/// Rounds to 10 bits of fraction, half away from zero, like Tensor Cores do with float32.
inline double rounded_to_tf32(double value) {
  const auto single = static_cast<float>(value);
  uint32_t raw;
  std::memcpy(&raw, &single, 4);
  raw = (raw + 0x1000) & ~0x1fffu;
  float rounded;
  std::memcpy(&rounded, &raw, 4);
  return rounded;
}

}  // namespace fake
