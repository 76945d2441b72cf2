#include "bindings/ops/stand_in.h"

namespace tide::bindings {
namespace {

constexpr char kTensorFunction[] = "__tensor_function";

/// Pushes the function of the value at an index, if it has one.
bool push_function_of(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE) return false;
  return luaL_getmetafield(L, index, kTensorFunction) != LUA_TNIL;
}

/// Pushes the function of the first element that has one, in the list at an index.
bool push_function_of_element(lua_State* L, int index) {
  const auto length = static_cast<lua_Integer>(lua_rawlen(L, index));
  for (lua_Integer i = 1; i <= length; ++i) {
    lua_rawgeti(L, index, i);
    const bool found = push_function_of(L, lua_gettop(L));
    lua_remove(L, found ? -2 : -1);
    if (found) return true;
  }
  return false;
}

}  // namespace

bool has_tensor_function(lua_State* L, int index) {
  if (!push_function_of(L, index)) return false;
  lua_pop(L, 1);
  return true;
}

bool holds_stand_in(lua_State* L, int index) {
  if (!push_function_of_element(L, index)) return false;
  lua_pop(L, 1);
  return true;
}

bool push_tensor_function(lua_State* L, int top) {
  for (int i = 1; i <= top; ++i) {
    if (lua_type(L, i) != LUA_TTABLE) continue;
    if (push_function_of(L, i) || push_function_of_element(L, i)) return true;
  }
  return false;
}

int call_tensor_function(lua_State* L, const char* name, const char* ending, lua_CFunction op,
                         int top) {
  lua_pushfstring(L, "%s%s", name, ending);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, op, 1);
  luaL_checkstack(L, top, name);
  for (int i = 1; i <= top; ++i) lua_pushvalue(L, i);
  lua_call(L, top + 2, LUA_MULTRET);
  return lua_gettop(L) - top;
}

}  // namespace tide::bindings
