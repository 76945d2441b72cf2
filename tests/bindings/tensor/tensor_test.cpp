// Tensors as Lua values: handles, fields, indexing, text.

#include "tests/bindings/support/lua_state.h"
#include "tests/support/catch.h"

using tide::test::LuaState;

TEST_CASE("nested tables become tensors of the natural type", "[tensor]") {
  LuaState lua;
  CHECK(lua.run("return tide.tensor({{1, 2}, {3, 4}}).dtype") == "int64");
  CHECK(lua.run("return tide.tensor({1, 2.5}).dtype") == "float32");
  CHECK(lua.run("return tide.tensor({true, false}).dtype") == "bool");
  CHECK(lua.run("return tide.tensor({}).dtype") == "float32");
  CHECK(lua.run("return tide.tensor(7):item()") == "7");
  CHECK(lua.run("return tide.tensor({9007199254740993}):tolist()[1]") == "9007199254740993");
}

TEST_CASE("ragged and deep tables are rejected", "[tensor]") {
  LuaState lua;
  CHECK(lua.run("return tide.tensor({{1, 2}, {3}})") ==
        "error: test:1: tensor: rows differ in length or depth: a table of 1 where a table of 2 "
        "belongs");
  CHECK(lua.run("return tide.tensor({{1, 2}, 3})") ==
        "error: test:1: tensor: rows differ in length or depth: number where a table of 2 belongs");
  CHECK(lua.run("local t = {1}; for i = 1, 100 do t = {t} end; return tide.tensor(t)") ==
        "error: test:1: tensor: tables are nested deeper than the 8 dimensions that a tensor can "
        "have");
  CHECK(lua.run("local t = {}; t[1] = t; return tide.tensor(t)").find("nested deeper") !=
        std::string::npos);
  CHECK(lua.run("return tide.tensor({1, 2, dtype = 'f32'})").find("key 'dtype'") !=
        std::string::npos);
}

TEST_CASE("numbers, ranges and words index", "[tensor]") {
  LuaState lua;
  lua.run("x = tide.tensor({{1, 2, 3}, {4, 5, 6}})");
  CHECK(lua.run("return x[2][3]:item()") == "6");
  CHECK(lua.run("return x[-1][1]:item()") == "4");
  CHECK(lua.run("return x[{ {}, {2, 3} }]:sum():item()") == "16");
  CHECK(lua.run("return x[{ 'new', '...' }]:dim()") == "3");
  CHECK(lua.run("return x[3]") == "nil");
  CHECK(lua.run("return x[0]") == "error: test:1: index: positions start at 1, got 0");
  CHECK(lua.run("return x[{ {1} }]").find("a range is {first, last}") != std::string::npos);
  CHECK(lua.run("return x[{ 'all' }]").find("expected \"...\" or") != std::string::npos);
  CHECK(lua.run("x[{ 1, {1, 2} }] = 0; return x:sum():item()") == "18");
}

TEST_CASE("a freed tensor is rejected and finalizing it again does nothing", "[tensor]") {
  LuaState lua;
  CHECK(lua.run("local x = tide.ones(2); x:free(); return x + 1") ==
        "error: test:1: +: expected tensor or number, got a freed tensor");
  CHECK(lua.run("local x = tide.ones(2); x:free(); return x:free()").find("freed") !=
        std::string::npos);
  CHECK(lua.run("local y; do local x <close> = tide.ones(2); y = x end; return tostring(y)") ==
        "a freed tensor");
  CHECK(lua.run("local m = debug.getmetatable(tide.ones(1)); local x = tide.ones(1); m.__close(x); "
                "m.__close(x); return tostring(x)") == "a freed tensor");
}

TEST_CASE("no other value is accepted as a tensor", "[tensor]") {
  LuaState lua;
  CHECK(lua.run("local m = debug.getmetatable(tide.ones(1)); return m.__add(io.stdout, 1)") ==
        "error: test:1: +: expected tensor or number, got FILE*");
  CHECK(lua.run("return tide.ones(1).item({})")
            .find("item: argument 1 (x): expected tensor, got table") != std::string::npos);
  CHECK(lua.run("return getmetatable(tide.ones(1))") == "false");
}

TEST_CASE("the text shows values, shape, type and device", "[tensor]") {
  LuaState lua;
  CHECK(lua.run("return tide.tensor({{1, 2}, {3, 40}})") ==
        "tensor([[ 1,  2],\n        [ 3, 40]]) (2, 2) int64 cpu");
  CHECK(lua.run("return tide.tensor({0.5, -1})") == "tensor([ 0.5000, -1.0000]) (2) float32 cpu");
  CHECK(lua.run("return tide.tensor(2.0)") == "tensor(2.) () float32 cpu");
  CHECK(lua.run("return tide.zeros(0, 3)") == "tensor([]) (0, 3) float32 cpu");
  CHECK(lua.run("return tide.arange(2000)") ==
        "tensor([   0,    1,    2, ..., 1997, 1998, 1999]) (2000) int64 cpu");
  CHECK(lua.run("return tide.tensor({1e10, 1.0, 0/0, 1/0})") ==
        "tensor([1.0000e+10, 1.0000e+00,        nan,        inf]) (4) float32 cpu");
}

TEST_CASE("item and tolist return Lua's own types", "[tensor]") {
  LuaState lua;
  CHECK(lua.run("return math.type(tide.tensor({3}):item())") == "integer");
  CHECK(lua.run("return math.type(tide.tensor({3.0}):item())") == "float");
  CHECK(lua.run("return tide.tensor({true}):item()") == "true");
  CHECK(lua.run("return tide.tensor({1.5}, {dtype = 'f16'}):item()") == "1.5");
  CHECK(lua.run("return tide.tensor({1.5}, {dtype = 'bf16'}):item()") == "1.5");
  CHECK(lua.run("return tide.ones(2):item()") ==
        "error: test:1: item: expected one element, got 2: shape (2)");
}

TEST_CASE("data may be converted to another type and device", "[tensor]") {
  LuaState lua;
  CHECK(lua.run("local x = tide.ones(2, {requires_grad = true}); x.data = x:detach():to('f64'); "
                "return x.dtype .. tostring(x.requires_grad)") == "float64true");
  CHECK(lua.run("local x = tide.ones(2); x.data = tide.zeros(3):to('sim:0'); "
                "return tostring(x.device) .. #x") == "sim:03");
  CHECK(lua.run("tide.ones(2).shape = 1").find("cannot be assigned") != std::string::npos);
}
