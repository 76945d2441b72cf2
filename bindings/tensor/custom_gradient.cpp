// Grad functions implemented by Lua functions.
#include "bindings/tensor/custom_gradient.h"

#include <memory>
#include <string>
#include <vector>

#include "bindings/objects/tensor_object.h"
#include "bindings/support/entry.h"
#include "bindings/tensor/lua_function.h"
#include "runtime/autograd/autograd.h"
#include "runtime/device/call_site.h"

namespace tide::bindings {
namespace {

std::vector<Tensor> list_at(lua_State* L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  std::vector<Tensor> tensors;
  for (lua_Unsigned i = 1; i <= lua_rawlen(L, index); ++i) {
    lua_rawgeti(L, index, static_cast<lua_Integer>(i));
    tensors.push_back(check_tensor(L, -1, "apply"));
    lua_pop(L, 1);
  }
  return tensors;
}

}  // namespace

int attach_gradient(lua_State* L) {
  // op names must live as long as the process
  const char* name = intern_file_name(luaL_checkstring(L, 1));
  const std::vector<Tensor> outputs = list_at(L, 2), inputs = list_at(L, 3);
  luaL_checktype(L, 4, LUA_TFUNCTION);
  lua_settop(L, 4);
  const auto function = std::make_shared<LuaFunction>(L, 4);
  const size_t count = inputs.size();
  if (outputs.size() == 1) {
    set_grad_fn(outputs[0], name, inputs, true, [function, count](const GradientCall& call) {
      const Tensor arguments[] = {call.dy, call.y};
      return function->call(arguments, count);
    });
  } else {
    set_joint_grad_fn(outputs, name, inputs, false, [function, count](const GradientCall& call) {
      return function->call(call.parts, count);
    });
  }
  return 0;
}

int take_snapshot(lua_State* L) {
  push_tensor(L, Saved(check_tensor(L, 1, "save_for_backward")).get());
  return 1;
}

}  // namespace tide::bindings
