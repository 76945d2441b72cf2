/* A C module as LuaRocks builds them: it takes Lua's functions from the program that loads it. */
#include <lauxlib.h>
#include <lua.h>

static int next(lua_State* L) {
  lua_Integer value = lua_tointeger(L, lua_upvalueindex(1)) + 1;
  lua_pushinteger(L, value);
  lua_copy(L, -1, lua_upvalueindex(1));
  return 1;
}

static int new_counter(lua_State* L) {
  lua_pushinteger(L, luaL_checkinteger(L, 1));
  lua_pushcclosure(L, next, 1);
  return 1;
}

int luaopen_counter(lua_State* L) {
  const luaL_Reg functions[] = {{"new", new_counter}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
