// Tensors exchanged with a host written in C, using only Lua's own functions.
#include "bindings/tensor/dlpack.h"

#include <thread>
#include <vector>

#include "tests/bindings/support/lua_state.h"
#include "tests/support/catch.h"

namespace tide {
namespace {

using bindings::dlpack::ManagedTensor;
using test::LuaState;

/// Consumes the capsule that the chunk returns, as a host does.
ManagedTensor* take(LuaState& lua, const char* chunk) {
  lua_State* L = lua.get();
  REQUIRE(luaL_dostring(L, chunk) == LUA_OK);
  auto** capsule = static_cast<ManagedTensor**>(luaL_checkudata(L, -1, "dltensor"));
  ManagedTensor* managed = *capsule;
  *capsule = nullptr;
  lua_pop(L, 1);
  return managed;
}

int deleted = 0;

/// Makes a capsule of the host's own the global `capsule`.
void give(LuaState& lua, ManagedTensor& managed) {
  lua_State* L = lua.get();
  auto** capsule = static_cast<ManagedTensor**>(lua_newuserdatauv(L, sizeof(ManagedTensor*), 0));
  *capsule = &managed;
  luaL_setmetatable(L, "dltensor");
  lua_setglobal(L, "capsule");
}

struct HostTensor {
  std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::vector<int64_t> shape, strides;
  ManagedTensor managed{};

  HostTensor(std::vector<int64_t> sizes, std::vector<int64_t> steps)
      : shape(std::move(sizes)), strides(std::move(steps)) {
    managed.tensor = {values.data(),
                      {bindings::dlpack::kCpu, 0},
                      static_cast<int32_t>(shape.size()),
                      {bindings::dlpack::kFloat, 32, 1},
                      shape.data(),
                      strides.empty() ? nullptr : strides.data(),
                      0};
    managed.deleter = [](ManagedTensor*) { ++deleted; };
  }
};

TEST_CASE("a host's tensor outlives the state and can be released on any thread", "[dlpack]") {
  ManagedTensor* managed;
  {
    LuaState lua;
    managed = take(lua, "return tide.to_dlpack(tide.tensor{{1, 2, 3}, {4, 5, 6}}.T * 10)");
    CHECK(lua.run("collectgarbage(); return 1") == "1");
  }
  const auto& tensor = managed->tensor;
  REQUIRE(tensor.rank == 2);
  CHECK(tensor.shape[0] == 3);
  CHECK(tensor.shape[1] == 2);
  CHECK(tensor.strides[0] == 2);
  CHECK(tensor.strides[1] == 1);
  CHECK(tensor.type.code == bindings::dlpack::kInt);
  CHECK(tensor.type.bits == 64);
  const auto* values = static_cast<const int64_t*>(tensor.data);
  CHECK(std::vector<int64_t>(values, values + 6) == std::vector<int64_t>{10, 40, 20, 50, 30, 60});
  std::thread([managed] { managed->deleter(managed); }).join();
}

TEST_CASE("a host's strides and offset are respected", "[dlpack]") {
  LuaState lua;
  deleted = 0;
  HostTensor host({2, 3}, {1, 4});
  host.managed.tensor.byte_offset = sizeof(float);
  give(lua, host.managed);
  CHECK(lua.run("return table.concat(tide.from_dlpack(capsule):reshape(-1):tolist(), ' ')") ==
        "1.0 5.0 9.0 2.0 6.0 10.0");
  CHECK(deleted == 1);
  CHECK(lua.run("tide.from_dlpack(capsule)").find("already consumed") != std::string::npos);
  CHECK(deleted == 1);
}

TEST_CASE("a rejected capsule remains the host's until it is collected", "[dlpack]") {
  deleted = 0;
  HostTensor far({2}, {}), odd({2}, {}), empty({2}, {});
  far.managed.tensor.device.type = 2;
  odd.managed.tensor.type = {bindings::dlpack::kFloat, 32, 4};
  empty.managed.tensor.data = nullptr;
  for (HostTensor* host : {&far, &odd, &empty}) {
    LuaState lua;
    give(lua, host->managed);
    CHECK(lua.run("tide.from_dlpack(capsule)").starts_with("error: "));
  }
  CHECK(deleted == 3);
}

}  // namespace
}  // namespace tide
