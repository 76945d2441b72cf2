// Handwritten functions: name, help and code in one row.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

#include "bindings/support/entry.h"
#include "bindings/support/object.h"

namespace tide::bindings {

/// A function or method of a table or class: see bindings/ops/typed_function.h.
struct Function {
  const char* name;
  lua_CFunction function;
  const char* arguments;  ///< as shown in help, without the receiver of methods: "fn?, ..."
  const char* doc;        ///< one sentence without a final period
  const char* example;    ///< a line of Lua, and its result after -->
};

/// Functions in one table or class.
struct FunctionFamily {
  const char* prefix;  ///< "tide.", "x:", "event:"
  const char* title;
  std::span<const Function> functions;
};

/// Adds the functions to the table on top of the stack.
void register_functions(lua_State* L, std::span<const Function> functions);

/// Creates the metatable of T, whose objects have these methods and no other fields; `place` is the
/// name of an object in errors about unknown fields: "event".
template <class T>
void open_class(lua_State* L, const luaL_Reg* metamethods, std::span<const Function> methods,
                const char* place) {
  const luaL_Reg none[] = {{nullptr, nullptr}};
  open_class<T>(L, metamethods, none);
  lua_getfield(L, -1, "__index");
  register_functions(L, methods);
  lua_createtable(L, 0, 1);
  push_strict_index(L, place);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pop(L, 2);
}

}  // namespace tide::bindings
