// Helpers for reading arguments, so that all functions have the same error messages: rows and typed
// functions (bindings/ops), and functions that read the stack directly.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>
#include <string_view>

namespace tide::bindings {

/// "argument 2 (other)"; the name may be empty.
std::string argument_text(int number, std::string_view name);

/// Throws ArgumentError: "save: expected a table of tensors, got nil". `function` may include the
/// argument: "save: metadata".
[[noreturn, gnu::cold]] void throw_expected(lua_State* L, int index, std::string_view function,
                                            std::string_view expected);

/// Throws ArgumentError: "copy_: argument 2 (source): expected tensor, got nil".
[[noreturn, gnu::cold]] void throw_expected_argument(lua_State* L, int index, const char* function,
                                                     std::string_view name,
                                                     std::string_view expected);

/// The string at a stack index, for functions called by the library's Lua files. Throws
/// ArgumentError.
const char* text_at(lua_State* L, int index);

/// Throws ArgumentError for an option that is not among `known`: "dtype, enabled".
void check_option(const char* function, std::string_view key, std::string_view known);

/// Calls visit(key, index of the value) for each option in the table at `index`; a key not in
/// `known` is an error.
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
