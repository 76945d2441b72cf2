// Tensor-like objects: tables whose metatable has a function `__tensor_function`. An op called with
// one calls __tensor_function(name, op, arguments...) instead.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// Whether the table at a stack index is a tensor-like object.
bool has_tensor_function(lua_State* L, int index);
/// Whether the value at a stack index is a tensor-like object.
inline bool is_stand_in(lua_State* L, int index) {
  return lua_type(L, index) == LUA_TTABLE && has_tensor_function(L, index);
}
/// Whether the table at a stack index is a list with a tensor-like object.
bool holds_stand_in(lua_State* L, int index);

/// Pushes the `__tensor_function` of the first of the `top` arguments that is a tensor-like object
/// or a list with one; pushes nothing if there is none.
bool push_tensor_function(lua_State* L, int top);

/// Calls the function on top of the stack with the name `name` .. `ending`, a closure of `op` with
/// the running function's upvalue, and the `top` arguments; its results are the op's results.
int call_tensor_function(lua_State* L, const char* name, const char* ending, lua_CFunction op,
                         int top);

}  // namespace tide::bindings
