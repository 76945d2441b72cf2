// Modes belong to the coroutine that set them and end with their scope.

#include "tests/bindings/support/lua_state.h"
#include "tests/support/catch.h"

using tide::test::LuaState;

TEST_CASE("no_grad holds until its value is closed", "[modes]") {
  LuaState lua;
  CHECK(lua.run("do local _ <close> = tide.no_grad(); assert(not tide.is_grad_enabled()) end "
                "return tide.is_grad_enabled()") == "true");
}

TEST_CASE("a scope passes results, errors and yields through", "[modes]") {
  LuaState lua;
  CHECK(lua.run("return select('#', tide.no_grad(function(...) return ... end, 1, nil, 3))") ==
        "3");
  CHECK(lua.run("local ok, message = pcall(tide.no_grad, function() error('boom', 0) end) "
                "return message .. tostring(tide.is_grad_enabled())") == "boomtrue");
  CHECK(lua.run("local co = coroutine.wrap(function() return tide.no_grad(function() "
                "coroutine.yield(1); return tide.is_grad_enabled() end) end) "
                "co(); assert(tide.is_grad_enabled()); return co()") == "false");
}

TEST_CASE("another coroutine has modes of its own", "[modes]") {
  LuaState lua;
  CHECK(lua.run("local _ <close> = tide.no_grad() "
                "return coroutine.wrap(function() return tide.is_grad_enabled() end)()") == "true");
  CHECK(lua.run("local scope = tide.no_grad() "
                "local ok, message = coroutine.wrap(function() "
                "return pcall(scope.close, scope) end)() "
                "scope:close() return message")
            .find("another coroutine") != std::string::npos);
}
