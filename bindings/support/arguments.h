// Error messages about arguments, which are the same in rows, typed functions (bindings/ops) and
// functions that read the stack directly.
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

/// The string at a stack index, for functions called by the library's Lua files. Throws
/// ArgumentError.
const char* text_at(lua_State* L, int index);

}  // namespace tide::bindings
