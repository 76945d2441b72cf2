// The signature of an op's row, computed at compile time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide::bindings {

/// The kind of values that a parameter accepts.
enum class Kind : uint8_t {
  tensor,
  tensor_or_number,
  number,   ///< integer, float or boolean
  integer,  ///< or a float with an integral value
  real,
  boolean,
  text,
  dim,
  dims,       ///< one or a table
  dim_lists,  ///< a table of two tables
  position,
  sizes,  ///< one integer or a table
  shape,  ///< one integer or a table
  dtype,
  device,
  tensors,   ///< a table
  integers,  ///< a table
  reals,     ///< one number or a table
  options    ///< by name only: dtype, device, requires_grad
};

/// The kind for the type of a C++ parameter.
template <class T>
inline constexpr Kind kKind = kKind<typename T::value_type>;  // std::optional
template <>
inline constexpr Kind kKind<Tensor> = Kind::tensor;
template <>
inline constexpr Kind kKind<TensorOrNumber> = Kind::tensor_or_number;
template <>
inline constexpr Kind kKind<Number> = Kind::number;
template <>
inline constexpr Kind kKind<int64_t> = Kind::integer;
template <>
inline constexpr Kind kKind<int> = Kind::integer;
template <>
inline constexpr Kind kKind<double> = Kind::real;
template <>
inline constexpr Kind kKind<bool> = Kind::boolean;
template <>
inline constexpr Kind kKind<std::string> = Kind::text;
template <>
inline constexpr Kind kKind<Dim> = Kind::dim;
template <>
inline constexpr Kind kKind<Dims> = Kind::dims;
template <>
inline constexpr Kind kKind<DimLists> = Kind::dim_lists;
template <>
inline constexpr Kind kKind<Position> = Kind::position;
template <>
inline constexpr Kind kKind<Sizes> = Kind::sizes;
template <>
inline constexpr Kind kKind<Shape> = Kind::shape;
template <>
inline constexpr Kind kKind<DType> = Kind::dtype;
template <>
inline constexpr Kind kKind<Device> = Kind::device;
template <>
inline constexpr Kind kKind<std::vector<Tensor>> = Kind::tensors;
template <>
inline constexpr Kind kKind<std::vector<int64_t>> = Kind::integers;
template <>
inline constexpr Kind kKind<std::vector<double>> = Kind::reals;
template <>
inline constexpr Kind kKind<TensorOptions> = Kind::options;

constexpr int kMaxParameters = 13;

/// One parameter; its name is a substring of the row's list of names.
struct Parameter {
  uint8_t name_begin = 0, name_size = 0;
  Kind kind = Kind::tensor;
  bool optional = false;
  bool rest = false;  ///< variadic: takes a table, or all following values
};

struct Signature {
  const char* names = "";
  std::array<Parameter, kMaxParameters> parameters{};
  uint8_t count = 0;

  constexpr std::string_view name(int parameter) const {
    const Parameter& p = parameters[parameter];
    return {names + p.name_begin, p.name_size};
  }
};

/// The end of the name that begins at `begin`. (With GCC 12's undefined behavior sanitizer,
/// string_view::find is not a constant expression.)
constexpr size_t end_of_name(std::string_view names, size_t begin) {
  while (begin < names.size() && names[begin] != ',') ++begin;
  return begin;
}

/// The signature of a function with these kinds of parameters; `names` is the row's list, as in
/// "x, shape..., options?". `in_place_option` adds a boolean, which is not passed to the function.
/// Not a constant expression if names and kinds do not match.
template <size_t kCount>
constexpr Signature make_signature(const char* names, const std::array<Kind, kCount>& kinds,
                                   bool in_place_option = false) {
  static_assert(kCount < kMaxParameters);
  const std::string_view text(names);
  const size_t count = kCount + in_place_option;
  Signature signature{names, {}, static_cast<uint8_t>(count)};
  size_t begin = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t end = end_of_name(text, begin);
    std::string_view name = text.substr(begin, end - begin);
    Parameter& parameter = signature.parameters[i];
    parameter.kind = i < kCount ? kinds[i] : Kind::boolean;
    parameter.name_begin = static_cast<uint8_t>(begin);
    if (name.ends_with('?')) {
      parameter.optional = true;
      name.remove_suffix(1);
    }
    if (name.ends_with("...")) {
      parameter.rest = true;
      name.remove_suffix(3);
    }
    if (name.empty() || text.size() > 255) throw "a parameter has no name";
    parameter.name_size = static_cast<uint8_t>(name.size());
    begin = end + 2;
  }
  if (begin < text.size()) throw "there are more names than parameters";
  return signature;
}

}  // namespace tide::bindings
