// Keeps Lua functions in the registry for the runtime, and calls them.
#include "bindings/tensor/lua_function.h"

#include <string>
#include <string_view>
#include <vector>

#include "bindings/modes/modes.h"
#include "bindings/objects/collector.h"
#include "bindings/objects/tensor_object.h"
#include "runtime/autograd/autograd.h"

namespace tide::bindings {
namespace {

/// Lua's message for a yield across a C function.
constexpr std::string_view kYieldRefused = "attempt to yield across a C-call boundary";

}  // namespace

LuaFunction::LuaFunction(lua_State* L, int index) {
  release_references(L);
  // Functions count like handles, because their part in the runtime is as large.
  if (++collector.new_handles >= kHandlesPerStep) collector_step(L);
  lua_pushvalue(L, index);
  reference_ = luaL_ref(L, LUA_REGISTRYINDEX);
}

LuaFunction::~LuaFunction() { release_later(reference_); }

std::vector<Tensor> LuaFunction::call(std::span<const Tensor> arguments, size_t results) const {
  lua_State* L = thread_context.running;
  const int given = static_cast<int>(arguments.size()), wanted = static_cast<int>(results);
  if (!lua_checkstack(L, given + wanted + 6)) throw Error("the stack is full");
  const int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference_);
  for (const Tensor& argument : arguments) push_tensor(L, argument);
  // Use the gradient mode of the backward pass, which scopes in the function then restore.
  const bool in_force = GradientMode::enabled(), own = set_gradient_mode(L, in_force);
  const int status = lua_pcall(L, given, wanted, 0);
  thread_context.running = L;
  set_gradient_mode(L, own);
  GradientMode::set(in_force);
  if (status != LUA_OK) {
    const char* text = lua_tostring(L, -1);
    std::string message = text ? text : "a function called by backward raised a value";
    lua_settop(L, top);
    if (const size_t at = message.rfind(kYieldRefused); at != std::string::npos)
      message.replace(at, kYieldRefused.size(), "backward: a function that it calls cannot yield");
    throw Error(message);
  }
  std::vector<Tensor> values(results);
  for (int i = 0; i < wanted; ++i)
    if (const Tensor* value = find_tensor(L, top + 1 + i)) values[static_cast<size_t>(i)] = *value;
  lua_settop(L, top);
  return values;
}

}  // namespace tide::bindings
