// Grad functions implemented by Lua functions.
#include "bindings/tensor/custom_gradient.h"

#include <memory>
#include <string>
#include <vector>

#include "bindings/ops/typed_function.h"
#include "bindings/tensor/lua_function.h"
#include "runtime/autograd/autograd.h"
#include "runtime/device/call_site.h"

namespace tide::bindings {
namespace {

int attach_gradient(lua_State* L, const std::string& given_name, const std::vector<Tensor>& outputs,
                    const std::vector<Tensor>& inputs, Callable fn) {
  const char* const name = intern_file_name(given_name);  // lives as long as the process
  const auto function = std::make_shared<LuaFunction>(L, fn.index);
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

Tensor snapshot(const Tensor& x) { return Saved(x).get(); }

}  // namespace

std::span<const luaL_Reg> custom_gradient_functions() {
  static constexpr luaL_Reg functions[] = {
      kNative<attach_gradient, "attach_gradient", "name, outputs, inputs, fn">,
      kNative<snapshot, "snapshot", "x">,
  };
  return functions;
}

}  // namespace tide::bindings
