// Maps an element type known at run time to a C++ type.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "runtime/ir/math/half.h"
#include "runtime/types/dtype.h"
#include "runtime/types/error.h"

namespace tide {

template <class T>
struct TypeTag {
  using Type = T;
};

/// Calls visitor(TypeTag<T>()) for the C++ type of `type`; boolean is bool. Not for float8: compute
/// ops only move such elements.
template <class Visitor>
void visit_type(DType type, Visitor&& visitor) {
  switch (type) {
    case DType::boolean:
      return visitor(TypeTag<bool>());
    case DType::u8:
      return visitor(TypeTag<uint8_t>());
    case DType::i8:
      return visitor(TypeTag<int8_t>());
    case DType::i16:
      return visitor(TypeTag<int16_t>());
    case DType::i32:
      return visitor(TypeTag<int32_t>());
    case DType::i64:
      return visitor(TypeTag<int64_t>());
    case DType::f16:
      return visitor(TypeTag<Float16>());
    case DType::bf16:
      return visitor(TypeTag<BFloat16>());
    case DType::f32:
      return visitor(TypeTag<float>());
    case DType::f64:
      return visitor(TypeTag<double>());
    case DType::f8e4m3:
    case DType::f8e5m2:
      throw InternalError("arithmetic of " + std::string(name_of(type)) + " was queued");
  }
}

/// Calls visitor with an unsigned type of the size of `type`, for code that only moves elements.
template <class Visitor>
void visit_size(DType type, Visitor&& visitor) {
  switch (size_of(type)) {
    case 1:
      return visitor(TypeTag<uint8_t>());
    case 2:
      return visitor(TypeTag<uint16_t>());
    case 4:
      return visitor(TypeTag<uint32_t>());
    default:
      return visitor(TypeTag<uint64_t>());
  }
}

/// The type in which values of type T are compared and added: float for the halves, else T.
template <class T>
using Wide =
    std::conditional_t<std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>, float, T>;

template <class T>
constexpr bool is_floating_type = std::is_floating_point_v<Wide<T>>;

/// False for all types except floating-point ones, without a warning.
template <class T>
constexpr bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) return x != x;
  return false;
}

}  // namespace tide
