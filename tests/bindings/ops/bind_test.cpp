// Arguments of ops: positions, names, kinds, and errors.

#include "runtime/backward/backward.h"
#include "tests/bindings/support/lua_state.h"
#include "tests/support/catch.h"

using tide::test::LuaState;

TEST_CASE("optional arguments are passed by position or by name", "[ops]") {
  LuaState lua;
  CHECK(lua.run("return #tide.ones(2, 3):sum(1, true).shape") == "2");
  CHECK(lua.run("return #tide.ones(2, 3):sum(1, {keepdim = true}).shape") == "2");
  CHECK(lua.run("return #tide.ones(2, 3):sum({dim = 1, keepdim = true}).shape") == "2");
  CHECK(lua.run("return #tide.ones(2, 3):sum(nil, nil).shape") == "0");
}

TEST_CASE("a shape is integers or a table", "[ops]") {
  LuaState lua;
  CHECK(lua.run("return tide.zeros(2, 3):numel()") == "6");
  CHECK(lua.run("return tide.zeros({2, 3}, {dtype = 'i16'}).dtype") == "int16");
  CHECK(lua.run("return tide.zeros(2, 3, {dtype = 'i16'}).dtype") == "int16");
  CHECK(lua.run("return tide.zeros({}):dim()") == "0");
  CHECK(lua.run("return tide.zeros(2.0):numel()") == "2");
}

TEST_CASE("rows of one name are distinguished by kinds", "[ops]") {
  LuaState lua;
  CHECK(lua.run("return select('#', tide.ones(2, 3):max(1))") == "2");
  CHECK(lua.run("return select('#', tide.ones(2, 3):max())") == "1");
  CHECK(lua.run("return #tide.arange(3)") == "3");
  CHECK(lua.run("return #tide.arange(1, 3)") == "2");
}

TEST_CASE("an error for a wrong argument has its position and the expected kind", "[ops]") {
  LuaState lua;
  CHECK(lua.run("return tide.ones(2):add('x')") ==
        "error: test:1: add: argument 2 (other): expected tensor or number, got string");
  CHECK(lua.run("return tide.ones(2):add()") ==
        "error: test:1: add: argument 2 (other): expected tensor or number, got nothing");
  CHECK(lua.run("return tide.ones(2):exp(1)") ==
        "error: test:1: exp: too many arguments: argument 2 is a number");
  CHECK(lua.run("return tide.ones(2):sum(1, {keepdims = true})") ==
        "error: test:1: sum: unknown option 'keepdims': known are dim, keepdim, dtype");
  CHECK(lua.run("return tide.ones(2):sum(1, {dim = 1})") ==
        "error: test:1: sum: argument 2 (dim): given both by position and by name");
  CHECK(lua.run("return tide.ones(2):sum(1, {keepdim = 1})") ==
        "error: test:1: sum: option 'keepdim': expected boolean, got number");
}

TEST_CASE("typed functions name a wrong argument as ops do", "[ops]") {
  LuaState lua;
  CHECK(lua.run("return tide.ones(2):copy_()") ==
        "error: test:1: copy_: argument 2 (source): expected tensor, got nothing");
  CHECK(lua.run("return tide.ones(2).zero_(1)") ==
        "error: test:1: zero_: argument 1 (x): expected tensor, got number");
  CHECK(lua.run("return tide.ones(2):backward({retain_graph = 1})") ==
        "error: test:1: backward: option 'retain_graph': expected boolean, got number");
  CHECK(lua.run("return tide.set_num_threads(1, 2)") ==
        "error: test:1: set_num_threads: too many arguments: argument 2 is a number");
  CHECK(lua.run("return tide.ones(2).item({})") ==
        "error: test:1: item: argument 1 (x): expected tensor, got table");
  CHECK(lua.run("return select('#', tide.set_grad_enabled(true))") == "0");
  CHECK(lua.run("local x = tide.ones(2); return rawequal(x, x:fill_(2))") == "true");
}

TEST_CASE("objects, callbacks and options by name are read by their types", "[ops]") {
  LuaState lua;
  CHECK(lua.run("return tide.Event(5)") ==
        "error: test:1: Event: argument 1 (device): expected stream or device, got number");
  CHECK(lua.run("return tide.Event({timing = 1})") ==
        "error: test:1: Event: option 'timing': expected boolean, got number");
  CHECK(lua.run("return tide.Event().record(tide.ones(1))") ==
        "error: test:1: record: argument 1 (event): expected event, got tide.Tensor");
  CHECK(lua.run("return tide.benchmark(print, 5)") ==
        "error: test:1: benchmark: argument 2: expected table of options, got number");
  CHECK(lua.run("return tide.benchmark(print, {generator = tide.Generator()})") ==
        "error: test:1: benchmark: unknown option 'generator': known are warmup, repeats, device");
  CHECK(lua.run("return tide.is_tensor({a = 1}), tide.is_tensor()") == "false");
  CHECK(lua.run("return tide.cuda.set_visible_devices({'a', b = 1})").starts_with("error: "));
}

TEST_CASE("a last parameter takes all values, after optional ones that may be left out",
          "[arguments]") {
  LuaState lua;
  CHECK(lua.run("return tide.no_grad(5)") ==
        "error: test:1: no_grad: argument 1 (fn): expected function, got number");
  CHECK(lua.run("return tide.no_grad(function(t) return t.a end, {a = 3})") == "3");
  CHECK(lua.run("return tide.no_grad(function(...) return select('#', ...) end, nil, 1, nil)") ==
        "3");
  CHECK(lua.run("return tide.autocast('cpu', 5)") ==
        "error: test:1: autocast: argument 2 (fn): expected function, got number");
  CHECK(lua.run("return tide.autocast({dtype = 'float16'}, function(x) return x end, 4)") == "4");
  CHECK(lua.run("return tide.autocast({dtyp = 'float16'})") ==
        "error: test:1: autocast: unknown option 'dtyp': known are dtype, enabled, device_type, "
        "cache_enabled");
}

TEST_CASE("an object is not an options table, and neither is a table with other keys",
          "[arguments]") {
  LuaState lua;
  CHECK(lua.run("return tide.heaviside(tide.ones(2), tide.nn.Linear(2, 3))") ==
        "error: test:1: heaviside: argument 2 (values): expected tensor, got Linear");
  // In any order of the keys.
  for (int i = 0; i < 8; ++i)
    CHECK(lua.run("return tide.ones(2):sum({dim = 1, [{}] = 1, [print] = 2})")
              .starts_with("error: test:1: sum: dim: the list also has the key"));
}

TEST_CASE("dimensions start at 1 and are integers", "[ops]") {
  LuaState lua;
  CHECK(lua.run("return tide.ones(2):sum(0)") ==
        "error: test:1: sum: dimensions start at 1, got 0 (dim)");
  CHECK(lua.run("return tide.ones(2):sum(1.5)") ==
        "error: test:1: sum: dim: expected an integer, got 1.5");
  CHECK(lua.run("return tide.ones(2, 3):sum(-1.0).shape[1]") == "2");
}

TEST_CASE("a list with options in it is rejected", "[ops]") {
  LuaState lua;
  CHECK(lua.run("return tide.zeros({2, dtype = 'int64'})") ==
        "error: test:1: zeros: shape: the list also has the key 'dtype': options go into a table "
        "of their own");
  CHECK(lua.run("return tide.zeros(1 << 40, 1 << 40)") ==
        "error: test:1: zeros: shape: too many elements");
}

TEST_CASE("in-place forms return the same tensor and keep its type", "[ops]") {
  LuaState lua;
  CHECK(lua.run("local x = tide.ones(2); return rawequal(x:add_(1), x)") == "true");
  CHECK(lua.run("local x = tide.ones(2); x:add_(1); return x[2]:item()") == "2.0");
  CHECK(
      lua.run("return tide.tensor({1, 2}):add_(0.5)") ==
      "error: test:1: add_: a result of type float32 cannot be written to a tensor of type int64");
}
