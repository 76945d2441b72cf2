// Element types of tensors: names, sizes, kinds, and the promotion rules between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tide {

/// The element types that a tensor can have. f8e4m3 has the numbers of float8_e4m3fn: up to 448, no
/// infinities; f8e5m2 those of float8_e5m2: the upper half of an f16.
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
/// Floating types of one byte or two.
constexpr bool is_narrow(DType type) { return is_float8(type) || is_half(type); }

/// The type in which one op on `type` computes before it rounds its result once: f32 for the narrow
/// types, `type` itself otherwise.
constexpr DType compute_type(DType type) { return is_narrow(type) ? DType::f32 : type; }

/// The full name as scripts see it, "float32".
std::string_view name_of(DType type);

/// The type with this name, full ("float32") or short ("f32"); none if there is no such type.
std::optional<DType> dtype_from_name(std::string_view name);

/// The ends of what a type holds, infinities apart. Those of int64 are the float64 next to them.
double largest_of(DType type);
double smallest_of(DType type);

/// The result type of arithmetic between two tensors of one dimension or more: PyTorch's table, to
/// which float8 is added; the two kinds of it meet in f16, which holds both.
DType promote(DType a, DType b);

/// Which operand of an op has the say over the result type: a tensor with dimensions before one
/// without, that before a number of the script.
enum class Weight : uint8_t { number, scalar, dimensioned };

/// PyTorch's result_type: operands of a lower weight only matter if their category (bool, integer,
/// floating) is higher than that of all heavier ones. Numbers count as i64, f32 or boolean.
DType promote(DType a, Weight weight_a, DType b, Weight weight_b);

/// The floating type of new tensors when nothing says another, and of results where integers meet
/// floats of the script or become floating: f32 at first. One for all threads.
DType default_dtype();
/// Sets it; `type` must be floating.
void set_default_dtype(DType type);

/// `type` if it is floating, else the default.
inline DType floating_type(DType type) { return is_floating(type) ? type : default_dtype(); }

}  // namespace tide
