// Functions written by hand: their names, help and code in one row.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// A function or method of a table or class.
struct Function {
  const char* name;
  lua_CFunction function;
  const char* arguments;  ///< as help shows them: "fn?, ..."
  const char* doc;        ///< one sentence without a final stop
  const char* example;    ///< a line of Lua, and behind --> what it gives
};

/// Functions that are found in one place.
struct FunctionFamily {
  const char* prefix;  ///< "tide.", "x:", "event:"
  const char* title;
  std::span<const Function> functions;
};

/// Adds the functions to the table on top of the stack.
inline void register_functions(lua_State* L, std::span<const Function> functions) {
  for (const Function& f : functions) {
    lua_pushcfunction(L, f.function);
    lua_setfield(L, -2, f.name);
  }
}

}  // namespace tide::bindings
