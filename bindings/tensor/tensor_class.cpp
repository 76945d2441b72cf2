// The metatable of tensors, and the end of a handle.
#include "bindings/objects/event_object.h"
#include "bindings/objects/handle_memory.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/dispatch.h"
#include "bindings/ops/typed_function.h"
#include "bindings/tensor/methods.h"

namespace tide::bindings {
namespace {

/// Destroys the handle; its userdata remains, marked as freed.
int free_tensor(lua_State* L) {
  if (Box<Tensor>* box = find_box<Tensor>(L, 1)) end_handle(*box);
  return 0;
}

int free_explicitly(lua_State* L, [[maybe_unused]] const Tensor& x) { return free_tensor(L); }

/// A no-op: the queue does not reuse a block until all streams have finished their work with it
/// (DeviceState::keep_until).
void record_stream([[maybe_unused]] const Tensor& x, [[maybe_unused]] const StreamObject& stream) {}

constexpr Function kLifetimeMethods[] = {
    typed_method<free_explicitly, "free", "x">(
        "Frees the memory immediately; using x afterwards is an error",
        "local x = tide.ones(3); x:free(); pcall(x.sum, x) == false --> true"),
    typed_method<record_stream, "record_stream", "x, stream">(
        "For compatibility with PyTorch: only checks its arguments, as memory is always kept until "
        "every stream has finished reading it",
        "tide.ones(3, {device = \"sim\"}):record_stream(tide.Stream(\"sim\"))"),
};

}  // namespace

std::span<const Function> lifetime_methods() { return kLifetimeMethods; }

void push_tensor_methods(lua_State* L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kClass<Tensor>);
  lua_getfield(L, -1, "__methods");
  lua_remove(L, -2);
}

void open_tensor_class(lua_State* L) {
  open_handle_memory(L);
  const luaL_Reg metamethods[] = {{"__close", free_tensor}, {nullptr, nullptr}};
  const luaL_Reg methods[] = {{nullptr, nullptr}};
  open_class<Tensor>(L, metamethods, methods);
  lua_getfield(L, -1, "__index");
  register_ops(L, OpScope::method);
  register_ops(L, OpScope::in_place);
  for (const FunctionFamily& family : tensor_method_families())
    register_functions(L, family.functions);
  lua_setfield(L, -2, "__methods");  // `__index` becomes a function that looks there first
  add_operators(L);
  add_indexing(L);
  lua_pop(L, 1);
}

}  // namespace tide::bindings
