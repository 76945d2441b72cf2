#include "bindings/support/list.h"

#include <string>

#include "bindings/support/entry.h"

namespace tide::bindings {
namespace {

/// Registry key of the metatable.
constexpr char kList = 0;

/// "{2, 3}"
int list_text(lua_State* L) {
  push_module(L, "tide.internal.table_text");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

/// "shape: " .. x.shape
int list_concat(lua_State* L) {
  for (int operand = 1; operand <= 2; ++operand) {
    if (lua_type(L, operand) != LUA_TTABLE) continue;
    luaL_tolstring(L, operand, nullptr);
    lua_replace(L, operand);
  }
  lua_settop(L, 2);
  lua_concat(L, 2);
  return 1;
}

/// x.shape[0] is a common mistake; indices past the end return nil, which ends loops.
int list_index(lua_State* L) {
  if (!lua_isinteger(L, 2) || lua_tointeger(L, 2) > 0) return 0;
  throw ArgumentError("index: positions start at 1, got " + std::to_string(lua_tointeger(L, 2)));
}

/// Whether all fields of the table at index `a` equal those of the one at `b`.
bool has_fields(lua_State* L, int a, int b) {
  for (lua_pushnil(L); lua_next(L, a); lua_pop(L, 2)) {
    lua_pushvalue(L, -2);
    lua_rawget(L, b);
    if (!lua_compare(L, -2, -1, LUA_OPEQ)) return lua_pop(L, 3), false;
  }
  return true;
}

/// x.shape == y.shape, x.shape == {2, 3}
int list_equal(lua_State* L) {
  const bool are_tables = lua_istable(L, 1) && lua_istable(L, 2);
  lua_pushboolean(L, are_tables && has_fields(L, 1, 2) && has_fields(L, 2, 1));
  return 1;
}

}  // namespace

void open_list(lua_State* L) {
  const luaL_Reg metamethods[] = {{"__tostring", guard_lookup<list_text>},
                                  {"__concat", guard_lookup<list_concat>},
                                  {"__index", guard_lookup<list_index>},
                                  {"__eq", guard_lookup<list_equal>},
                                  {nullptr, nullptr}};
  luaL_newlib(L, metamethods);
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kList);
}

void push_list_metatable(lua_State* L) { lua_rawgetp(L, LUA_REGISTRYINDEX, &kList); }

void make_list(lua_State* L) {
  push_list_metatable(L);
  lua_setmetatable(L, -2);
}

}  // namespace tide::bindings
