// Handles are finalized with their memory: in any state, on any thread, once.
#include <atomic>
#include <string>
#include <thread>

#include "bindings/objects/collector.h"
#include "tests/bindings/support/lua_state.h"
#include "tests/support/catch.h"

namespace tide {
namespace {

using test::LuaState;

int64_t live() { return bindings::collector.live; }

TEST_CASE("a collection finalizes unreachable handles", "[objects]") {
  LuaState lua;
  const int64_t before = live();
  lua.run("kept = tide.ones(3); for i = 1, 5000 do local x = tide.ones(3) end");
  lua.run("collectgarbage(); collectgarbage()");
  CHECK(live() - before == 1);
  CHECK(lua.run("return kept:sum():item()") == "3.0");
}

TEST_CASE("closing a state finalizes its handles, freed ones too, and no others", "[objects]") {
  LuaState other;
  other.run("y = tide.ones(4)");
  const int64_t before = live();
  {
    LuaState lua;
    lua.run("x = {}; for i = 1, 3000 do x[i] = tide.ones(2) end; x[7]:free(); x[8]:free()");
    CHECK(live() - before == 2998);
  }
  CHECK(live() == before);
  CHECK(other.run("return y:sum():item()") == "4.0");
}

TEST_CASE("a handle in a dying cycle, in a finalizer's hands, or without its metatable ends",
          "[objects]") {
  LuaState lua;
  const int64_t before = live();
  lua.run("local t = {x = tide.ones(1)}; t.t = t");
  lua.run("setmetatable({x = tide.ones(1)}, {__gc = function(t) seen = t.x:item() end})");
  lua.run("debug.setmetatable(tide.ones(1), nil)");
  for (int i = 0; i < 3; ++i) lua.run("collectgarbage()");
  CHECK(lua.run("return seen") == "1.0");
  CHECK(live() == before);
}

TEST_CASE("other userdata of a handle's size are not changed", "[objects]") {
  LuaState lua;
  const int64_t before = live();
  for (int i = 0; i < 2000; ++i) {
    auto* words = static_cast<int64_t*>(lua_newuserdatauv(lua.get(), 16, 0));
    words[0] = words[1] = i;
    lua_pop(lua.get(), 1);
    lua.run("local x = tide.ones(1)");
  }
  lua.run("collectgarbage(); collectgarbage()");
  CHECK(live() == before);
}

TEST_CASE("threads with separate states share the memory", "[objects]") {
  std::atomic<int> right = 0;
  const auto work = [&] {
    for (int round = 0; round < 3; ++round) {
      LuaState lua;
      lua.run("local x = tide.zeros(1); for i = 1, 3000 do x = x + 1 end; sum = x:item()");
      right += lua.run("return sum") == "3000.0";
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  CHECK(right == 6);
  LuaState lua;
  CHECK(lua.run("return tide.ones(2):sum():item()") == "2.0");
}

}  // namespace
}  // namespace tide
