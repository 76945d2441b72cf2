// Pushes results of ops.
#include "bindings/ops/push.h"

#include "bindings/objects/tensor_object.h"
#include "bindings/support/list.h"

namespace tide::bindings {

int push_result(lua_State* L, Tensor tensor) {
  push_tensor(L, std::move(tensor));
  return 1;
}

int push_result(lua_State* L, Results results) {
  for (Tensor& result : results) push_tensor(L, std::move(result));
  return static_cast<int>(results.size());
}

int push_result(lua_State* L, std::vector<Tensor> tensors) {
  lua_createtable(L, static_cast<int>(tensors.size()), 0);
  for (size_t i = 0; i < tensors.size(); ++i) {
    push_tensor(L, std::move(tensors[i]));
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  make_list(L);
  return 1;
}

int push_result(lua_State* L, TensorOrTable result) {
  return std::visit([L](auto& value) { return push_result(L, std::move(value)); }, result);
}

int push_result(lua_State* L, bool value) {
  lua_pushboolean(L, value);
  return 1;
}

int push_result(lua_State* L, int64_t value) {
  lua_pushinteger(L, value);
  return 1;
}

int push_result(lua_State* L, double value) {
  lua_pushnumber(L, value);
  return 1;
}

int push_result(lua_State* L, const std::string& text) {
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

}  // namespace tide::bindings
