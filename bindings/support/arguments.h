// How functions written by hand read their arguments, with one text for one kind of mistake. (Those
// with a row are read by its signature: bindings/ops/call.h.)
#pragma once

#include <lua5.4/lua.hpp>
#include <string>
#include <string_view>

namespace tide::bindings {

/// Throws ArgumentError: "save: expected a table of tensors, got nil". `function` may go on with
/// the argument that is meant: "save: metadata".
[[noreturn, gnu::cold]] void throw_expected(lua_State* L, int index, std::string_view function,
                                            std::string_view expected);

/// Whether the boolean at `index` is true; anything else is an error that names the argument.
bool boolean_at(lua_State* L, int index, const char* function, const char* name);

/// Throws ArgumentError for an option that is not among `known`: "dtype, enabled".
void check_option(const char* function, std::string_view key, std::string_view known);

/// Calls visit(key, index of the value) for each option in the table at `index`; a key that is not
/// among `known` is an error before that.
template <class Visit>
void for_each_option(lua_State* L, int index, const char* function, std::string_view known,
                     const Visit& visit) {
  lua_pushnil(L);
  while (lua_next(L, index)) {
    const std::string_view key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
    check_option(function, key, known);
    visit(key, lua_gettop(L));
    lua_pop(L, 1);
  }
}

}  // namespace tide::bindings
