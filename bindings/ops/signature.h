// The signature of a row or a typed function, computed at compile time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "bindings/objects/device_object.h"
#include "runtime/ops/arguments.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/tensor.h"

namespace tide::bindings {

// Parameters of typed functions that stay on Lua's stack.

/// Any value; nil if not given.
struct Value {
  int index;
};
/// A table that the function reads.
struct Table {
  int index;
};
/// A function, or an object that can be called.
struct Callable {
  int index;
};
/// All further values; the last parameter.
struct Values {
  int first, count;
};

using StreamOrDevice = std::variant<engine::StreamId, Device>;
/// One tensor or a table of them.
struct TensorList : std::vector<Tensor> {
  using vector::vector;
};
/// What x:to takes in any order; the first boolean is non_blocking, the second one copy.
struct ConversionTarget {
  std::optional<DType> dtype{};
  std::optional<Device> device{};
  bool non_blocking = false, copy = false;
};

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
  tensors,      ///< a table
  tensor_list,  ///< one or a table
  integers,     ///< a table
  reals,        ///< one number or a table
  memory_format,
  stream_or_device,
  device_or_index,
  device_list,  ///< a table of devices and indices
  targets,      ///< variadic: devices, type names, tensors, booleans
  object,       ///< of the class in Signature::classes
  value,
  table,
  callable,
  values,  ///< variadic: all that follow
  options  ///< by name only: dtype, device, requires_grad
};

template <class T>
consteval Kind kind_of();

/// The kind for the type of a C++ parameter.
template <class T>
inline constexpr Kind kKind = kind_of<T>();
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
inline constexpr Kind kKind<std::string_view> = Kind::text;  // as long as it is on the stack
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
inline constexpr Kind kKind<TensorList> = Kind::tensor_list;
template <>
inline constexpr Kind kKind<std::vector<int64_t>> = Kind::integers;
template <>
inline constexpr Kind kKind<std::vector<double>> = Kind::reals;
template <>
inline constexpr Kind kKind<MemoryFormat> = Kind::memory_format;
template <>
inline constexpr Kind kKind<StreamOrDevice> = Kind::stream_or_device;
template <>
inline constexpr Kind kKind<DeviceOrIndex> = Kind::device_or_index;
template <>
inline constexpr Kind kKind<std::vector<DeviceOrIndex>> = Kind::device_list;
template <>
inline constexpr Kind kKind<ConversionTarget> = Kind::targets;
template <>
inline constexpr Kind kKind<Value> = Kind::value;
template <>
inline constexpr Kind kKind<Table> = Kind::table;
template <>
inline constexpr Kind kKind<Callable> = Kind::callable;
template <>
inline constexpr Kind kKind<Values> = Kind::values;
template <>
inline constexpr Kind kKind<TensorOptions> = Kind::options;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// Any other type is a class of objects; a pointer to one is an optional object.
template <class T>
consteval Kind kind_of() {
  if constexpr (kIsOptional<T>)
    return kKind<typename T::value_type>;
  else
    return Kind::object;
}

/// The class of objects of a C++ parameter's type; null for other kinds.
template <class T>
constexpr const ClassInfo* class_of() {
  if constexpr (kKind<T> == Kind::object)
    return &kClass<std::remove_cv_t<std::remove_pointer_t<T>>>;
  else
    return nullptr;
}

constexpr int kMaxParameters = 13;

/// One parameter; its name is a substring of the row's list of names.
struct Parameter {
  uint8_t name_begin = 0, name_size = 0;
  Kind kind = Kind::tensor;
  bool optional = false;
  bool rest = false;     ///< variadic: takes a table, or all following values
  bool by_name = false;  ///< only in a table of options
};

struct Signature {
  const char* names = "";
  std::array<Parameter, kMaxParameters> parameters{};
  uint8_t count = 0;
  const ClassInfo* const* classes = nullptr;  ///< of objects, by parameter

  /// Whether the last parameter takes all further values.
  constexpr bool takes_all() const { return count && parameters[count - 1].kind == Kind::values; }
  constexpr std::string_view name(int parameter) const {
    const Parameter& p = parameters[parameter];
    return {names + p.name_begin, p.name_size};
  }
};

/// The end of the name that begins at `begin`. (With GCC 12's undefined behavior sanitizer,
/// string_view::find is not a constant expression.)
constexpr size_t end_of_name(std::string_view names, size_t begin) {
  while (begin < names.size() && names[begin] != ',' && names[begin] != '}') ++begin;
  return begin;
}

/// The begin of the name after the one that ends at `end`.
constexpr size_t next_name(std::string_view names, size_t end) {
  if (end < names.size() && names[end] == '}') ++end;
  if (end < names.size() && names[end] == '?') ++end;
  return end + 2;
}

/// The signature of a function with these kinds of parameters; `names` is the row's list, as in
/// "x, shape..., options?", "fn, {warmup, repeats}" with parameters that are given by name only, or
/// "fn?, ...". A name that repeats an earlier one is for readers: that parameter can also be given
/// by name. `in_place_option` adds a boolean, which is not passed to the function. Not a constant
/// expression if names and kinds do not match.
template <size_t kCount>
constexpr Signature make_signature(const char* names, const std::array<Kind, kCount>& kinds,
                                   bool in_place_option = false,
                                   const ClassInfo* const* classes = nullptr) {
  static_assert(kCount < kMaxParameters);
  const std::string_view text(names);
  const size_t count = kCount + in_place_option;
  Signature signature{names, {}, static_cast<uint8_t>(count), classes};
  size_t begin = 0, i = 0;
  bool by_name = false;
  while (begin < text.size()) {
    if (text[begin] == '{') {
      by_name = true;
      ++begin;
    }
    size_t end = end_of_name(text, begin);
    const Kind kind = i < kCount ? kinds[i] : Kind::boolean;
    if (by_name && kind == Kind::options)
      while (text[end] != '}') ++end;
    std::string_view name = text.substr(begin, end - begin);
    const size_t name_begin = begin;
    begin = next_name(text, end);
    Parameter parameter{static_cast<uint8_t>(name_begin), 0, kind, by_name, false, by_name};
    if (end < text.size() && text[end] == '}') by_name = false;
    if (name.ends_with('?')) {
      parameter.optional = true;
      name.remove_suffix(1);
    }
    if (name.ends_with("...")) {
      parameter.rest = true;
      name.remove_suffix(3);
    }
    bool repeats = false;
    for (size_t k = 0; parameter.by_name && k < i; ++k)
      repeats = repeats || signature.name(static_cast<int>(k)) == name;
    if (repeats) continue;
    if (i == count) throw "there are more names than parameters";
    if ((name.empty() && kind != Kind::values) || text.size() > 255)
      throw "a parameter has no name";
    if (kind == Kind::options) parameter.by_name = true;
    if (kind == Kind::value || kind == Kind::values || kind == Kind::targets)
      parameter.optional = true;
    parameter.name_size = static_cast<uint8_t>(name.size());
    signature.parameters[i++] = parameter;
  }
  if (i != count) throw "a parameter has no name";
  return signature;
}

}  // namespace tide::bindings
