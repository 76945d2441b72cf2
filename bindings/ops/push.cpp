// Pushes results of ops.
#include "bindings/ops/push.h"

#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/support/fields.h"
#include "bindings/support/list.h"

namespace tide::bindings {
namespace {

template <class List>
int push_results(lua_State* L, List& list) {
  push_list(L, list, [L](auto& element) { push_result(L, std::move(element)); });
  make_list(L);
  return 1;
}

}  // namespace

int push_result(lua_State* L, Tensor tensor) {
  push_tensor(L, std::move(tensor));
  return 1;
}

int push_result(lua_State* L, Results results) {
  for (Tensor& result : results) push_tensor(L, std::move(result));
  return static_cast<int>(results.size());
}

int push_result(lua_State* L, std::vector<Tensor> tensors) { return push_results(L, tensors); }

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

int push_result(lua_State* L, std::string_view text) {
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

int push_result(lua_State* L, Device device) {
  push_device(L, device);
  return 1;
}

int push_result(lua_State* L, const std::vector<Device>& devices) {
  return push_results(L, devices);
}

int push_result(lua_State* L, const std::vector<std::string>& texts) {
  return push_results(L, texts);
}

}  // namespace tide::bindings
