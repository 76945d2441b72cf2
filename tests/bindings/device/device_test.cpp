// Devices, events, and tide.cuda without CUDA.

#include "runtime/backward/backward.h"
#include "tests/bindings/support/lua_state.h"
#include "tests/support/catch.h"

using tide::test::LuaState;

TEST_CASE("there is one object per device", "[device]") {
  LuaState lua;
  CHECK(lua.run("return tide.device('cpu') == tide.ones(1).device") == "true");
  CHECK(lua.run("return tide.device('gpu') == tide.device('cuda:0')") == "true");
  CHECK(lua.run("local d = tide.device('sim:1'); return d.type .. d.index .. tostring(d)") ==
        "sim1sim:1");
  CHECK(lua.run("return tide.device('cpu').index") == "nil");
  CHECK(lua.run("return tide.device('tpu')").find("tpu") != std::string::npos);
}

TEST_CASE("tensors are created on the default device", "[device]") {
  LuaState lua;
  CHECK(
      lua.run("tide.set_default_device('sim:0'); local x, y = tide.ones(2), tide.tensor({1}) "
              "tide.set_default_device('cpu'); return tostring(x.device) .. tostring(y.device)") ==
      "sim:0sim:0");
}

TEST_CASE("a move is differentiable", "[device]") {
  LuaState lua;
  CHECK(lua.run("local x = tide.ones(2, {requires_grad = true}); "
                "(x:to('sim:0') * 3):sum():backward(); return tostring(x.grad)") ==
        "tensor([3., 3.]) (2) float32 cpu");
}

TEST_CASE("events measure time on a device", "[device]") {
  LuaState lua;
  CHECK(lua.run("local a, b = tide.Event{timing = true}, tide.Event{timing = true} "
                "a:record(); local x = tide.ones(8) + 1; b:record(); b:synchronize() "
                "return b:query() and a:elapsed_time(b) >= 0") == "true");
  CHECK(lua.run("return tide.Event():elapsed_time(tide.Event())").find("timing = true") !=
        std::string::npos);
  CHECK(lua.run("return tide.Event{timming = true}").find("unknown option") != std::string::npos);
}

TEST_CASE("benchmark reports times and runs", "[timing]") {
  LuaState lua;
  CHECK(lua.run("return tide.benchmark(function() return tide.ones(8) + 1 end, "
                "{warmup = 1, repeats = 4}).runs") == "4");
  CHECK(lua.run("local n = 0; local co = coroutine.wrap(function() return tide.benchmark("
                "function() n = n + 1; coroutine.yield() end, {warmup = 1, repeats = 2}) end) "
                "while not co() do end return n") == "3");
}
