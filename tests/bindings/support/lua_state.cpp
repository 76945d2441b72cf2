// A Lua state with the module open, for tests of the bindings.
#include "tests/bindings/support/lua_state.h"

#include "bindings/module.h"

namespace tide::test {

LuaState::LuaState() : state_(luaL_newstate()) {
  luaL_openlibs(state_);
  luaL_requiref(state_, "tide", luaopen_tide, 1);
  lua_pop(state_, 1);
}

LuaState::~LuaState() { lua_close(state_); }

std::string LuaState::run(const std::string& chunk) {
  const int top = lua_gettop(state_);
  std::string text;
  if (luaL_loadbuffer(state_, chunk.data(), chunk.size(), "=test") != LUA_OK ||
      lua_pcall(state_, 0, 1, 0) != LUA_OK)
    text = "error: ";
  size_t size;
  const char* result = luaL_tolstring(state_, -1, &size);
  text.append(result, size);
  lua_settop(state_, top);
  return text;
}

}  // namespace tide::test
