// Errors name the line of the script, not that of the library.
#include <catch2/catch.hpp>

#include "tests/bindings/support/lua_state.h"

using tide::test::LuaState;

TEST_CASE("an error names the innermost line outside the library", "[entry]") {
  LuaState lua;
  CHECK(lua.run("\n\nreturn tide.ones(2) + tide.ones(3)").starts_with("error: test:3: "));
  CHECK(lua.run("local f = load('local x = ...; return x + {}', '=[tide] nn/x.lua')\n"
                "local y = f(tide.ones(2)) return y") ==
        "error: test:2: +: expected tensor or number, got table");
  CHECK(lua.run("return select(2, pcall(tide.ones(2).add, tide.ones(2), 'x'))") ==
        "test:1: add: argument 2 (other): expected tensor or number, got string");
}

TEST_CASE("a state may close while another goes on", "[entry]") {
  LuaState first;
  {
    LuaState second;
    CHECK(second.run("return (tide.ones(2) + 1)[1]:item()") == "2.0");
  }
  CHECK(first.run("return (tide.ones(2) + 1)[1]:item()") == "2.0");
}

TEST_CASE("garbage is collected as handles are made", "[collector]") {
  LuaState lua;
  CHECK(lua.run("local x = tide.ones(4) for i = 1, 50000 do local y = x + i end "
                "return collectgarbage('count') < 4096") == "true");
}
