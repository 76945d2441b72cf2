// Element types of tensors: names, sizes, kinds, and the promotion rules between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tide {

/// The element types of tensors. f8e4m3 is float8_e4m3fn: up to 448, no infinities; f8e5m2 is
/// float8_e5m2: the upper byte of an f16.
enum class DType : uint8_t { boolean, u8, i8, i16, i32, i64, f8e4m3, f8e5m2, f16, bf16, f32, f64 };

constexpr int kDTypeCount = 12;

/// Bytes of one element.
constexpr size_t size_of(DType type) {
  // One hexadecimal digit per type, the first one lowest.
  return 0x842211842111 >> (4 * static_cast<int>(type)) & 15;
}

constexpr bool is_floating(DType type) { return type >= DType::f8e4m3; }
constexpr bool is_integer(DType type) { return type > DType::boolean && type < DType::f8e4m3; }
constexpr bool is_half(DType type) { return type == DType::f16 || type == DType::bf16; }
constexpr bool is_float8(DType type) { return type == DType::f8e4m3 || type == DType::f8e5m2; }
/// Floating types of one or two bytes.
constexpr bool is_narrow(DType type) { return is_float8(type) || is_half(type); }

/// The type in which an op on `type` computes before rounding its result: f32 for narrow types,
/// otherwise `type` itself.
constexpr DType compute_type(DType type) { return is_narrow(type) ? DType::f32 : type; }

/// The full name as scripts see it, "float32".
std::string_view name_of(DType type);

/// The type with this full ("float32") or short ("f32") name; none if there is no such type.
std::optional<DType> dtype_from_name(std::string_view name);

/// The largest and smallest finite values of a type. Those of int64 are rounded to float64.
double largest_of(DType type);
double smallest_of(DType type);

/// The result type of arithmetic between two tensors that both have dimensions: PyTorch's table,
/// extended to float8; the two float8 types promote to f16, which represents both exactly.
DType promote(DType a, DType b);

/// Priority of an operand in type promotion: tensors with dimensions before 0-d tensors before Lua
/// numbers.
enum class Weight : uint8_t { number, scalar, dimensioned };

/// PyTorch's result_type: an operand of lower weight matters only if its category (bool, integer,
/// floating) is higher than that of all heavier ones. Lua numbers count as i64, f32 or boolean.
DType promote(DType a, Weight weight_a, DType b, Weight weight_b);

/// The floating type of new tensors without an explicit type, and of results where integers meet
/// Lua floats or become floating: initially f32. Shared by all threads.
DType default_dtype();
/// Sets it; `type` must be floating.
void set_default_dtype(DType type);

/// `type` if it is floating, else the default.
inline DType floating_type(DType type) { return is_floating(type) ? type : default_dtype(); }

}  // namespace tide
