// Arguments of the common kinds that are given by position: read without binding them to a
// signature, which takes several times as long as the functions that only inspect a tensor.
// Whatever is unexpected, errors included, is left to Call.
#pragma once

#include <lua5.4/lua.hpp>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "bindings/objects/tensor_object.h"
#include "bindings/ops/call.h"

namespace tide::bindings {

/// The value of a parameter of type T; of no other kinds than these.
template <class T>
struct SimpleArgument;

template <class T>
inline constexpr bool kIsSimple = requires {
  sizeof(SimpleArgument<T>);
};

/// Tensors and objects, which stay on the stack.
template <class T>
requires(kKind<T> == Kind::tensor || (kKind<T> == Kind::object && !std::is_pointer_v<T>))  //
    struct SimpleArgument<T> {
  T* value;
  bool read(lua_State* L, int index) { return (value = find<T>(L, index)); }
  T& get() { return *value; }
};

template <class T>
requires(!kIsOptional<T> && (kKind<T> == Kind::integer || kKind<T> == Kind::dim))  //
    struct SimpleArgument<T> {
  T value;
  bool read(lua_State* L, int index) {
    if (!lua_isinteger(L, index)) return false;
    const int64_t integer = lua_tointegerx(L, index, nullptr);
    if constexpr (kKind<T> == Kind::integer)
      value = static_cast<T>(integer);
    else
      value = {integer > 0 ? integer - 1 : integer};
    return kKind<T> == Kind::integer || integer != 0;
  }
  T& get() { return value; }
};

template <>
struct SimpleArgument<double> {
  double value;
  bool read(lua_State* L, int index) {
    if (lua_type(L, index) != LUA_TNUMBER) return false;
    value = lua_tonumberx(L, index, nullptr);
    return true;
  }
  double& get() { return value; }
};

template <>
struct SimpleArgument<bool> {
  bool value;
  bool read(lua_State* L, int index) {
    value = lua_toboolean(L, index);
    return lua_type(L, index) == LUA_TBOOLEAN;
  }
  bool& get() { return value; }
};

template <class T>
requires(!kIsOptional<T> && kKind<T> == Kind::text) struct SimpleArgument<T> {
  T value;
  bool read(lua_State* L, int index) {
    if (lua_type(L, index) != LUA_TSTRING) return false;
    size_t size;
    const char* const text = lua_tolstring(L, index, &size);
    value = T(text, size);
    return true;
  }
  T& get() { return value; }
};

template <>
struct SimpleArgument<Value> {
  Value value;
  bool read(lua_State* L, int index) {
    if (lua_isnone(L, index)) {
      lua_pushnil(L);
      index = lua_gettop(L);
    }
    value.index = index;
    return true;
  }
  Value& get() { return value; }
};

template <class T>
requires kIsSimple<T>
struct SimpleArgument<std::optional<T>> {
  std::optional<T> value;
  bool read(lua_State* L, int index) {
    if (lua_isnoneornil(L, index)) return true;
    SimpleArgument<T> given;
    if (!given.read(L, index)) return false;
    value = given.get();
    return true;
  }
  std::optional<T>& get() { return value; }
};

/// Whether no parameter is variadic or given by name only.
constexpr bool reads_by_position(const Signature& signature) {
  for (int p = 0; p < signature.count; ++p)
    if (signature.parameters[p].rest || signature.parameters[p].by_name) return false;
  return true;
}

/// Whether all of a std::tuple are of the common kinds.
template <class Parameters>
inline constexpr bool kAreSimple = false;
template <class... P>
inline constexpr bool kAreSimple<std::tuple<P...>> = (kIsSimple<P> && ...);

template <class Parameters>
struct SimpleArguments;

template <class... P>
struct SimpleArguments<std::tuple<P...>> {
  /// Whether all arguments were read.
  bool read(lua_State* L) {
    return lua_gettop(L) <= static_cast<int>(sizeof...(P)) &&
           read_all(L, std::index_sequence_for<P...>());
  }

  template <size_t... I>
  bool read_all([[maybe_unused]] lua_State* L, std::index_sequence<I...>) {
    return (std::get<I>(values).read(L, static_cast<int>(I) + 1) && ...);
  }

  decltype(auto) apply(const auto& function) {
    return std::apply([&](auto&... value) -> decltype(auto) { return function(value.get()...); },
                      values);
  }

  std::tuple<SimpleArgument<P>...> values;
};

}  // namespace tide::bindings
