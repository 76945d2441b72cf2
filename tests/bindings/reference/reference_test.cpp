// Every public function has help.
#include "bindings/reference/reference.h"

#include "tests/bindings/support/lua_state.h"
#include "tests/support/catch.h"

using tide::test::LuaState;

TEST_CASE("every entry of the reference has a sentence and an example", "[reference]") {
  for (const auto& entry : tide::bindings::reference()) {
    CAPTURE(entry.signature);
    CHECK_FALSE(entry.doc.empty());
    CHECK_FALSE(entry.example.empty());
  }
}

TEST_CASE("help accepts names, functions and families", "[reference]") {
  LuaState lua;
  CHECK(lua.run("return tide.help('mv')").find("x:mv(vector)") != std::string::npos);
  CHECK(lua.run("return tide.help(tide.ones(1).mv)") == lua.run("return tide.help('mv')"));
  CHECK(lua.run("return tide.help(tide.sleep)").find("tide.sleep(seconds)") != std::string::npos);
  CHECK(lua.run("return tide.help('pooling')").find("max_pool2d") != std::string::npos);
  CHECK(lua.run("return tide.help('matmull')").find("near it: matmul") != std::string::npos);
  CHECK(lua.run("return tide.help()").find("reduction") != std::string::npos);
}

TEST_CASE("every function of the module is in the reference", "[reference]") {
  LuaState lua;
  CHECK(
      lua.run("local known = {} "
              "for _, e in ipairs(require('tide.native').reference()) do known[e.name] = true end "
              "local missing = {} "
              "for name, value in pairs(tide) do "
              "if type(value) == 'function' and not known[name] then missing[#missing + 1] = name "
              "end end return table.concat(missing, ' ')") == "");
}
