// Errors name the line of the script, not that of the library.

#include "tests/bindings/support/lua_state.h"
#include "tests/support/catch.h"

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

TEST_CASE("a chunk at the address of a released one has its own name", "[entry]") {
  LuaState lua;
  CHECK(lua.run("local bad, known, again = tide.tensor{9}, {}, 0\n"
                "for i = 1, 20000 do\n"
                "  if again == 20 then break end\n"
                "  local name = ('chunk%05d.lua'):format(i)\n"
                "  local fail = load('local x, i = ... return x:index_select(1, i)', '@' .. name)\n"
                "  local source = ('%p'):format(debug.getinfo(fail, 'S').source)\n"
                "  if known[source] then again = again + 1 end\n"
                "  known[source] = true\n"
                "  local ok, why = pcall(function() return fail(tide.ones(3), bad):tolist() end)\n"
                "  if not why:find('queued at ' .. name .. ':1 ', 1, true) then return why end\n"
                "  fail, name, source = nil, nil, nil\n"
                "  collectgarbage()\n"
                "end\n"
                "return again") == "20");
}

TEST_CASE("a state may close while another is running", "[entry]") {
  LuaState first;
  {
    LuaState second;
    CHECK(second.run("return (tide.ones(2) + 1)[1]:item()") == "2.0");
  }
  CHECK(first.run("return (tide.ones(2) + 1)[1]:item()") == "2.0");
}

TEST_CASE("garbage is collected as handles are created", "[collector]") {
  LuaState lua;
  CHECK(lua.run("local x = tide.ones(4) for i = 1, 50000 do local y = x + i end "
                "return collectgarbage('count') < 4096") == "true");
}
