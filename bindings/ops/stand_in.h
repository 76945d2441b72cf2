// Objects that stand for tensors: tables whose metatable has a function `__tensor_function`. An op
// that is called with one calls __tensor_function(name, op, arguments...) in its own place.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// Whether the table at a stack index stands for a tensor.
bool has_tensor_function(lua_State* L, int index);
/// Whether the value at a stack index stands for a tensor.
inline bool is_stand_in(lua_State* L, int index) {
  return lua_type(L, index) == LUA_TTABLE && has_tensor_function(L, index);
}
/// Whether the table at a stack index is a list with an object that stands for a tensor.
bool holds_stand_in(lua_State* L, int index);

/// Pushes the `__tensor_function` of the first of the `top` arguments that stands for a tensor, or
/// is a list with such an object; pushes nothing if there is none.
bool push_tensor_function(lua_State* L, int top);

/// Calls the function on top of the stack with a name made of two parts, the running C function
/// `op` with its one upvalue, and the `top` arguments; what it returns are the op's results.
int call_tensor_function(lua_State* L, const char* name, const char* ending, lua_CFunction op,
                         int top);

}  // namespace tide::bindings
