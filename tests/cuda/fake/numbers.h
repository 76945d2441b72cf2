// Numbers in the memory of the stand-in libraries.
#pragma once

#include <cstdint>
#include <cstring>

namespace fake {

enum class Format { f32, f64, f16, bf16, i8, i32 };

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

/// Rounds to the format: by way of float if it is a half. Integers hold the value.
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
    case Format::bf16:
      break;
  }
  uint32_t raw;
  std::memcpy(&raw, &single, 4);
  const bool nan = single != single;
  static_cast<uint16_t*>(data)[i] =
      nan ? 0x7fff : static_cast<uint16_t>((raw + 0x7fff + (raw >> 16 & 1)) >> 16);
}

/// To 10 bits of fraction, half away from zero, as Tensor Cores take float32.
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
