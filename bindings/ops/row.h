// Makes a Lua function of a row of the op tables. Little code is generated per op: ordinary
// functions read each kind of argument and push each kind of result.
#pragma once

#include <concepts>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "bindings/ops/call.h"
#include "bindings/ops/push.h"
#include "bindings/ops/signature.h"

namespace tide::bindings {

/// One row: one C++ function under one script name.
struct OpRow {
  const char* name;
  Signature signature;
  unsigned flags;
  const char* doc;
  const char* example;             ///< a line of Lua, and its result after -->
  const char* results;             ///< as shown in the reference: "tensor", "table of tensors"
  Tensor (*compute)(const Call&);  ///< for ops that return one tensor, else null
  int (*invoke)(const Call&);      ///< for the others: pushes the results and returns their number
};

/// The rows of one table (bindings/ops/rows/NAME.def).
struct OpFamily {
  const char* name;
  const char* title;
  std::span<const OpRow> rows;
};

/// All families, in the order of the reference.
std::span<const OpFamily> op_families();

template <class T>
decltype(auto) read_argument(const Call& call, int parameter) {
  constexpr Kind kind = kKind<T>;
  if constexpr (kind == Kind::tensor)
    return read_tensor(call, parameter);
  else if constexpr (kind == Kind::tensor_or_number)
    return read_tensor_or_number(call, parameter);
  else if constexpr (kind == Kind::number)
    return read_number(call, parameter);
  else if constexpr (kind == Kind::integer)
    return static_cast<T>(read_integer(call, parameter));
  else if constexpr (kind == Kind::real)
    return read_real(call, parameter);
  else if constexpr (kind == Kind::boolean)
    return call.given(parameter) && read_boolean(call, parameter);
  else if constexpr (kind == Kind::text)
    return T(read_text(call, parameter));
  else if constexpr (kind == Kind::dim)
    return read_dim(call, parameter);
  else if constexpr (kind == Kind::dims)
    return read_dims(call, parameter);
  else if constexpr (kind == Kind::dim_lists)
    return read_dim_lists(call, parameter);
  else if constexpr (kind == Kind::position)
    return read_position(call, parameter);
  else if constexpr (kind == Kind::sizes)
    return read_sizes(call, parameter);
  else if constexpr (kind == Kind::shape)
    return read_shape(call, parameter);
  else if constexpr (kind == Kind::dtype)
    return read_dtype(call, parameter);
  else if constexpr (kind == Kind::device)
    return read_device(call, parameter);
  else if constexpr (kind == Kind::tensors)
    return read_tensors(call, parameter);
  else if constexpr (kind == Kind::tensor_list)
    return read_tensor_list(call, parameter);
  else if constexpr (kind == Kind::integers)
    return read_integers(call, parameter);
  else if constexpr (kind == Kind::reals)
    return read_reals(call, parameter);
  else if constexpr (kind == Kind::memory_format)
    return read_memory_format(call, parameter);
  else if constexpr (kind == Kind::stream_or_device)
    return read_stream_or_device(call, parameter);
  else if constexpr (kind == Kind::device_or_index)
    return read_device_or_index(call, parameter);
  else if constexpr (kind == Kind::device_list)
    return read_device_list(call, parameter);
  else if constexpr (kind == Kind::targets)
    return read_targets(call, parameter);
  else if constexpr (kind == Kind::object)
    return read_object<T>(call, parameter);
  else if constexpr (kind == Kind::value)
    return read_value(call, parameter);
  else if constexpr (kind == Kind::table || kind == Kind::callable)
    return T{call.index[parameter]};
  else if constexpr (kind == Kind::values)
    return Values{call.index[parameter], call.rest_count};
  else
    return read_options(call, parameter);
}

/// The value of one parameter of type T (without const and reference).
template <class T>
decltype(auto) argument(const Call& call, int parameter) {
  if constexpr (kIsOptional<T>) {
    using Value = typename T::value_type;
    return call.given(parameter) ? T(read_argument<Value>(call, parameter)) : T();
  } else if constexpr (std::is_pointer_v<T>) {
    return call.given(parameter) ? &read_argument<std::remove_pointer_t<T>>(call, parameter)
                                 : nullptr;
  } else {
    return read_argument<T>(call, parameter);
  }
}

/// Calls function(parameters...). Braces guarantee that arguments are read from left to right.
/// Tensors and objects are not copied: they stay on Lua's stack.
template <class... P, class F, size_t... I>
decltype(auto) apply_arguments(const Call& call, const F& function, std::index_sequence<I...>) {
  std::tuple<decltype(argument<P>(call, 0))...> arguments{
      argument<P>(call, static_cast<int>(I))...};
  return function(std::get<I>(arguments)...);
}

/// The kinds of parameters.
template <class... P>
inline constexpr std::array<Kind, sizeof...(P)> kKinds{kKind<P>...};
template <class... P>
inline constexpr std::array<const ClassInfo*, sizeof...(P) + 1> kClasses{class_of<P>()...};

/// Calls the op with C++ function F from a Call.
template <auto F>
struct Op;

template <class R, class... P, R (*F)(P...)>
requires(!std::same_as<R, int>)  // see typed_function.h
    struct Op<F> {
  using Result = R;
  using Parameters = std::tuple<std::remove_cvref_t<P>...>;

  static constexpr Signature signature(const char* names, bool in_place_option = false) {
    return make_signature(names, kKinds<std::remove_cvref_t<P>...>, in_place_option,
                          kClasses<std::remove_cvref_t<P>...>.data());
  }

  static R run(const Call& call) {
    return apply_arguments<std::remove_cvref_t<P>...>(call, F, std::index_sequence_for<P...>());
  }

  static R apply(lua_State*, auto&... arguments) { return F(arguments...); }

  static int invoke(const Call& call) {
    if constexpr (std::is_void_v<R>) {
      run(call);
      lua_settop(call.L, 1);  // the op modifies its first argument
      return 1;
    } else {
      return push_result(call.L, run(call));
    }
  }

  static constexpr OpRow row(const char* name, const char* names, unsigned flags, const char* doc,
                             const char* example) {
    static_assert(kResults<R> != nullptr, "add the result type to kResults in push.h");
    OpRow row{
        name,   signature(names, flags & kInPlaceOption), flags, doc, example, kResults<R>, nullptr,
        nullptr};
    if constexpr (std::is_same_v<R, Tensor>)
      row.compute = run;
    else
      row.invoke = invoke;
    return row;
  }
};

}  // namespace tide::bindings

/// A row of bindings/ops/rows/*.def as an element of an array of OpRow.
#define TIDE_OP(function, name, names, flags, doc, example) \
  ::tide::bindings::Op<&::tide::function>::row(name, names, flags, doc, example),

/// Its parameters and notes, which bindings/reference reads.
#define TIDE_NOTES(names, text)
