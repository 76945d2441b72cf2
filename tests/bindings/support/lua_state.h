// A Lua state with the module open, for tests of the bindings.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>

namespace tide::test {

/// A separate state, closed at the end of the test.
class LuaState {
 public:
  LuaState();
  ~LuaState();
  LuaState(const LuaState&) = delete;
  LuaState& operator=(const LuaState&) = delete;

  /// Runs a chunk named "test" and returns the text of its first result, or "error: " and the
  /// message.
  std::string run(const std::string& chunk);

  lua_State* get() const { return state_; }

 private:
  lua_State* state_;
};

}  // namespace tide::test
