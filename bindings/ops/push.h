// Results of ops as Lua values.
#pragma once

#include <concepts>
#include <cstdint>
#include <lua5.4/lua.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/support/object.h"
#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide::bindings {

// Each pushes its result and returns the number of values.

int push_result(lua_State* L, Tensor tensor);
/// Several results.
int push_result(lua_State* L, Results results);
/// One table.
int push_result(lua_State* L, std::vector<Tensor> tensors);
/// One tensor or one table.
int push_result(lua_State* L, TensorOrTable result);
int push_result(lua_State* L, bool value);
int push_result(lua_State* L, int64_t value);
int push_result(lua_State* L, double value);
int push_result(lua_State* L, std::string_view text);
int push_result(lua_State* L, Device device);
/// One table.
int push_result(lua_State* L, const std::vector<Device>& devices);
int push_result(lua_State* L, const std::vector<std::string>& texts);
/// Any other type is a class of objects.
template <class T>
requires(!std::convertible_to<T, std::string_view>) int push_result(lua_State* L, T object) {
  push_object(L, std::move(object));
  return 1;
}
/// nil if there is none.
template <class T>
int push_result(lua_State* L, std::optional<T> result) {
  if (result) return push_result(L, std::move(*result));
  lua_pushnil(L);
  return 1;
}

/// The result type R in the reference.
template <class R>
inline constexpr const char* kResults = nullptr;
template <>
inline constexpr const char* kResults<void> = "Tensor";  // the modified first argument
template <>
inline constexpr const char* kResults<Tensor> = "Tensor";
template <>
inline constexpr const char* kResults<Results> = "Tensor...";
template <>
inline constexpr const char* kResults<std::vector<Tensor>> = "Tensor[]";
template <>
inline constexpr const char* kResults<TensorOrTable> = "Tensor|Tensor[]";
template <>
inline constexpr const char* kResults<bool> = "boolean";
template <>
inline constexpr const char* kResults<int64_t> = "integer";
template <>
inline constexpr const char* kResults<double> = "number";
template <>
inline constexpr const char* kResults<std::string> = "string";
template <>
inline constexpr const char* kResults<std::tuple<Tensor, Tensor>> = "Tensor, Tensor";
template <>
inline constexpr const char* kResults<std::tuple<Tensor, Tensor, Tensor>> =
    "Tensor, Tensor, Tensor";
template <>
inline constexpr const char* kResults<std::tuple<Tensor, Tensor, Tensor, Tensor>> =
    "Tensor, Tensor, Tensor, Tensor";

template <class... T>
int push_result(lua_State* L, std::tuple<T...> results) {
  return std::apply([L](auto&... result) { return (push_result(L, std::move(result)) + ...); },
                    results);
}

}  // namespace tide::bindings
