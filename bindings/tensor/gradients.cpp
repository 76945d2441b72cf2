// Gradients: backward, requires_grad_, hooks, tide.grad.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/objects/collector.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/call.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/arguments.h"
#include "bindings/tensor/lua_function.h"
#include "bindings/tensor/methods.h"
#include "runtime/autograd/autograd.h"
#include "runtime/backward/backward.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/shape/write.h"
#include "runtime/tensor/transfer.h"

namespace tide::bindings {
namespace {

void backward_from(const Tensor& x, const std::optional<Tensor>& gradient, bool retain_graph,
                   bool create_graph) {
  lua_State* const L = thread_context.running;  // a hook may run in another coroutine
  backward(x, gradient.value_or(Tensor()), {retain_graph, create_graph});
  release_references(L);
}

void requires_grad(const Tensor& x, std::optional<bool> on) {
  x.set_requires_grad(on.value_or(true));
}

int detach_in_place(lua_State* L) {
  Tensor& x = check<Tensor>(L, 1, "detach_");
  x = detach(x);
  lua_settop(L, 1);
  return 1;
}

int retain(lua_State* L) {
  retain_grad(check_tensor(L, 1, "retain_grad"));
  lua_settop(L, 1);
  return 1;
}

/// x:register_hook(fn): returns a function that removes the hook.
int remove(lua_State* L) {
  const Tensor* x = find_tensor(L, lua_upvalueindex(1));
  if (x) remove_hook(*x, static_cast<size_t>(lua_tointeger(L, lua_upvalueindex(2))));
  return 0;
}

int add_hook(lua_State* L) {
  const Tensor& x = check_tensor(L, 1, "register_hook");
  if (!lua_isfunction(L, 2)) throw_expected_argument(L, 2, "register_hook", "fn", "function");
  lua_settop(L, 2);
  auto function = std::make_shared<LuaFunction>(L, 2);
  const size_t number =
      register_hook(x, [function](const Tensor& gradient) { return function->call(gradient); });
  lua_pushvalue(L, 1);
  lua_pushinteger(L, static_cast<lua_Integer>(number));
  lua_pushcclosure(L, guard<remove>, 2);
  return 1;
}

/// y:copy_(source), x:fill_(value), x:zero_(): differentiable writes.
/// copy_(source [, non_blocking]): copies to the host never wait; the first read does.
int copy_in_place(lua_State* L) {
  const Tensor& x = check_tensor(L, 1, "copy_");
  if (!lua_isnoneornil(L, 3) && !lua_isboolean(L, 3)) {
    if (!is_options_table(L, 3))
      throw_expected_argument(L, 3, "copy_", "non_blocking", kind_text(Kind::boolean));
    for_each_option(L, 3, "copy_", "non_blocking", [L](std::string_view, int value) {
      if (!lua_isboolean(L, value))
        throw_expected(L, value, "copy_: non_blocking", kind_text(Kind::boolean));
    });
  }
  const Tensor* source = find_tensor(L, 2);
  if (!source) throw_expected_argument(L, 2, "copy_", "source", kind_text(Kind::tensor));
  write("copy_", x,
        source->device() == x.device() ? *source
        : is_pinned(x)                 ? record_pinned(*source)
                                       : record_transfer(*source, x.device()));
  lua_settop(L, 1);
  return 1;
}

int fill_in_place(lua_State* L) {
  const Tensor& x = check_tensor(L, 1, "fill_");
  if (const Tensor* value = find_tensor(L, 2))
    write("fill_", x, *value);
  else if (lua_isboolean(L, 2))
    write("fill_", x, Number(lua_toboolean(L, 2) != 0));
  else if (lua_isinteger(L, 2))
    write("fill_", x, Number(static_cast<int64_t>(lua_tointeger(L, 2))));
  else if (lua_type(L, 2) == LUA_TNUMBER)
    write("fill_", x, Number(lua_tonumber(L, 2)));
  else
    throw_expected_argument(L, 2, "fill_", "value", kind_text(Kind::tensor_or_number));
  lua_settop(L, 1);
  return 1;
}

int zero_in_place(lua_State* L) {
  write("zero_", check_tensor(L, 1, "zero_"), Number(0));
  lua_settop(L, 1);
  return 1;
}

/// One tensor or a table of them.
std::vector<Tensor> tensors_at(lua_State* L, int index, const char* what) {
  if (const Tensor* tensor = find_tensor(L, index)) return {*tensor};
  std::vector<Tensor> tensors;
  if (lua_type(L, index) == LUA_TTABLE)
    for (lua_Unsigned i = 1; i <= lua_rawlen(L, index); ++i) {
      lua_rawgeti(L, index, static_cast<lua_Integer>(i));
      const Tensor* tensor = find_tensor(L, -1);
      if (!tensor) throw_expected(L, -1, std::string("grad: ") + what, "tensors");
      tensors.push_back(*tensor);
      lua_pop(L, 1);
    }
  else if (!lua_isnoneornil(L, index))
    throw_expected(L, index, std::string("grad: ") + what, "tensor or table of tensors");
  return tensors;
}

/// tide.grad(outputs, inputs [, grad_outputs] [, options]): one gradient for each input.
int grad(lua_State* L) {
  BackwardOptions options;
  bool allow_unused = false;
  const int top = lua_gettop(L);
  if (top > 2 && is_options_table(L, top)) {
    for_each_option(L, top, "grad", "grad_outputs, retain_graph, create_graph, allow_unused",
                    [&](std::string_view key, int value) {
                      if (key == "retain_graph") options.retain_graph = lua_toboolean(L, value);
                      if (key == "create_graph") options.create_graph = lua_toboolean(L, value);
                      if (key == "allow_unused") allow_unused = lua_toboolean(L, value);
                    });
    lua_getfield(L, top, "grad_outputs");
    if (top == 3 || !lua_isnil(L, -1)) lua_replace(L, 3);
  }
  const std::vector<Tensor> outputs = tensors_at(L, 1, "outputs");
  const std::vector<Tensor> inputs = tensors_at(L, 2, "inputs");
  const std::vector<Tensor> weights = tensors_at(L, 3, "grad_outputs");
  if (outputs.empty() || inputs.empty())
    throw ArgumentError("grad: expected outputs and inputs: tensors or tables of tensors");
  std::vector<Tensor> results = gradients(outputs, inputs, weights, options, allow_unused);
  lua_settop(L, 0);
  luaL_checkstack(L, static_cast<int>(results.size()) + 4, "grad");
  for (Tensor& result : results) push_tensor(L, std::move(result));
  return lua_gettop(L);
}

constexpr Function kGradientMethods[] = {
    typed_method<backward_from, "backward", "x, gradient?, retain_graph?, create_graph?">(
        "Adds the gradient of x to .grad of all leaves that it was computed from",
        "local x = tide.tensor({1.0, 2}, {requires_grad = true}); x:square():sum():backward(); "
        "x.grad "
        "--> {2.0, 4.0}"),
    typed_method<requires_grad, "requires_grad_", "x, on?">(
        "Makes backward compute gradients for x",
        "tide.ones(2):requires_grad_().requires_grad --> true"),
    {"detach_", guard<detach_in_place>, "", "Drops the grad function of x",
     "local x = tide.ones(2):requires_grad_() * 2; x:detach_().requires_grad --> false"},
    {"retain_grad", guard<retain>, "", "Makes a non-leaf x keep its .grad",
     "local y = tide.ones(2):requires_grad_() * 2; y:retain_grad(); y:sum():backward(); y.grad --> "
     "{1.0, 1.0}"},
    {"register_hook", guard<add_hook>, "fn",
     "Calls fn with each gradient of x; a result other than nil replaces the gradient. Returns a "
     "function that removes the hook",
     "local x = tide.ones(2):requires_grad_(); x:register_hook(function(g) return g * 10 end); "
     "x:sum():backward(); x.grad --> {10.0, 10.0}"},
    {"copy_", guard<copy_in_place>, "source, {non_blocking}",
     "Overwrites x with the values of another tensor",
     "tide.zeros(2):copy_(tide.tensor{1, 2}) --> {1.0, 2.0}"},
    {"fill_", guard<fill_in_place>, "value", "Overwrites x with one value",
     "tide.zeros(2):fill_(7) --> {7.0, 7.0}"},
    {"zero_", guard<zero_in_place>, "", "Overwrites x with zeros",
     "tide.ones(2):zero_() --> {0.0, 0.0}"},
};

constexpr Function kGradientFunctions[] = {
    {"grad", guard<grad>,
     "outputs, inputs, grad_outputs?, {grad_outputs, retain_graph, create_graph, allow_unused}",
     "The gradients of outputs with respect to inputs, one result each; .grad is unchanged",
     "local x = tide.tensor({1.0, 2}, {requires_grad = true}); tide.grad(x:square():sum(), x) --> "
     "{2.0, 4.0}"},
};

}  // namespace

std::span<const Function> gradient_methods() { return kGradientMethods; }
std::span<const Function> gradient_functions() { return kGradientFunctions; }

}  // namespace tide::bindings
