// Accesses the state of math.random, a userdata in the function's upvalue.
#include "bindings/support/math_random.h"

#include <cstring>

#include "bindings/support/arguments.h"

namespace tide::bindings {

int math_random_state(lua_State* L, const std::optional<std::string>& given) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, LUA_MATHLIBNAME);
  if (!lua_istable(L, -1)) return 0;
  lua_pushliteral(L, "random");
  lua_rawget(L, -2);
  if (!lua_iscfunction(L, -1) || !lua_getupvalue(L, -1, 1)) return 0;
  void* const state = lua_touserdata(L, -1);
  if (!state || lua_type(L, -1) != LUA_TUSERDATA) return 0;
  const size_t length = lua_rawlen(L, -1);
  lua_pushlstring(L, static_cast<const char*>(state), length);
  if (!given) return 1;
  if (given->size() != length)
    throw ArgumentError("math_random_state: expected a state of math.random");
  std::memcpy(state, given->data(), length);
  return 1;
}

}  // namespace tide::bindings
