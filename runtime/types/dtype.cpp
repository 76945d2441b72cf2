// Names and promotion of element types.
#include "runtime/types/dtype.h"

#include <atomic>
#include <cmath>
#include <limits>

namespace tide {
namespace {

constexpr std::string_view kNames[kDTypeCount] = {
    "bool",          "uint8",       "int8",    "int16",    "int32",   "int64",
    "float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32", "float64"};
constexpr std::string_view kShortNames[kDTypeCount] = {
    "bool", "u8", "i8", "i16", "i32", "i64", "f8e4m3", "f8e5m2", "f16", "bf16", "f32", "f64"};

std::atomic<DType> default_word{DType::f32};

int category(DType type) { return is_floating(type) ? 2 : is_integer(type) ? 1 : 0; }

}  // namespace

DType default_dtype() { return default_word.load(std::memory_order_relaxed); }

void set_default_dtype(DType type) { default_word.store(type, std::memory_order_relaxed); }

std::string_view name_of(DType type) { return kNames[static_cast<int>(type)]; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (name == kNames[i] || name == kShortNames[i]) return static_cast<DType>(i);
  return std::nullopt;
}

double largest_of(DType type) {
  switch (type) {
    case DType::boolean:
      return 1;
    case DType::u8:
      return 255;
    case DType::f8e4m3:
      return 448;
    case DType::f8e5m2:
      return 57344;
    case DType::f16:
      return 65504;
    case DType::bf16:
      return 0x1.fep127;
    case DType::f32:
      return std::numeric_limits<float>::max();
    case DType::f64:
      return std::numeric_limits<double>::max();
    default:
      return std::ldexp(1.0, 8 * static_cast<int>(size_of(type)) - 1) - 1;
  }
}

double smallest_of(DType type) {
  if (type == DType::boolean || type == DType::u8) return 0;
  return is_floating(type) ? -largest_of(type) : -1 - largest_of(type);
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a > b) return promote(b, a);
  // Now a < b in the order of the enumeration, which is by range, except for three pairs.
  if (a == DType::u8 && b == DType::i8) return DType::i16;
  if (a == DType::f8e4m3 && b == DType::f8e5m2) return DType::f16;
  if (a == DType::f16 && b == DType::bf16) return DType::f32;
  return b;
}

DType promote(DType a, Weight weight_a, DType b, Weight weight_b) {
  if (weight_a == weight_b) return promote(a, b);
  const bool a_heavier = weight_a > weight_b;
  const DType heavy = a_heavier ? a : b;
  const DType light = a_heavier ? b : a;
  if (category(light) <= category(heavy)) return heavy;
  const bool number = (a_heavier ? weight_b : weight_a) == Weight::number;
  return number && light == DType::f64 ? default_dtype() : light;
}

}  // namespace tide
