// Makes a Lua function of a row of the op tables. Little code is generated per op: ordinary
// functions read each kind of argument and push each kind of result.
#pragma once

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
    return read_text(call, parameter);
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
  else if constexpr (kind == Kind::integers)
    return read_integers(call, parameter);
  else if constexpr (kind == Kind::reals)
    return read_reals(call, parameter);
  else
    return read_options(call, parameter);
}

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// The value of one parameter of type T (without const and reference).
template <class T>
decltype(auto) argument(const Call& call, int parameter) {
  if constexpr (kIsOptional<T>) {
    using Value = typename T::value_type;
    return call.given(parameter) ? T(read_argument<Value>(call, parameter)) : T();
  } else {
    return read_argument<T>(call, parameter);
  }
}

/// Calls the op with C++ function F from a Call.
template <auto F>
struct Op;

template <class R, class... P, R (*F)(P...)>
struct Op<F> {
  using Result = R;
  static constexpr std::array<Kind, sizeof...(P)> kKinds{kKind<std::remove_cvref_t<P>>...};

  static decltype(auto) run(const Call& call) { return run(call, std::index_sequence_for<P...>()); }

  template <size_t... I>
  static R run(const Call& call, std::index_sequence<I...>) {
    // Braces guarantee that arguments are read from left to right. Tensors are not copied: they
    // stay on Lua's stack.
    std::tuple<decltype(argument<std::remove_cvref_t<P>>(call, 0))...> arguments{
        argument<std::remove_cvref_t<P>>(call, static_cast<int>(I))...};
    return F(std::get<I>(arguments)...);
  }

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
    OpRow row{name,    make_signature(names, kKinds, flags & kInPlaceOption),
              flags,   doc,
              example, kResults<R>,
              nullptr, nullptr};
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
