// Gradients: backward, requires_grad_, hooks, tide.grad.
#include <memory>
#include <optional>
#include <vector>

#include "bindings/objects/collector.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/typed_function.h"
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
  const OpSpan span("backward");
  lua_State* const L = thread_context.running;  // a hook may run in another coroutine
  backward(x, gradient.value_or(Tensor()), {retain_graph, create_graph});
  release_references(L);
}

void requires_grad(const Tensor& x, std::optional<bool> on) {
  x.set_requires_grad(on.value_or(true));
}

void detach_in_place(Tensor& x) { x = detach(x); }

int retain(lua_State* L, const Tensor& x) {
  retain_grad(x);
  lua_settop(L, 1);
  return 1;
}

/// x:register_hook(fn): returns a function that removes the hook.
int remove(lua_State* L) {
  const Tensor* x = find_tensor(L, lua_upvalueindex(1));
  if (x) remove_hook(*x, static_cast<size_t>(lua_tointeger(L, lua_upvalueindex(2))));
  return 0;
}

int add_hook(lua_State* L, const Tensor& x, Callable fn) {
  auto function = std::make_shared<LuaFunction>(L, fn.index);
  const size_t number =
      register_hook(x, [function](const Tensor& gradient) { return function->call(gradient); });
  lua_pushvalue(L, 1);
  lua_pushinteger(L, static_cast<lua_Integer>(number));
  lua_pushcclosure(L, guard<remove>, 2);
  return 1;
}

/// Copies to the host never wait, whatever `non_blocking` is; the first read does.
void copy_in_place(const Tensor& x, const Tensor& source, [[maybe_unused]] bool non_blocking) {
  write("copy_", x,
        source.device() == x.device() ? source
        : is_pinned(x)                ? record_pinned(source)
                                      : record_transfer(source, x.device()));
}

void fill_in_place(const Tensor& x, const TensorOrNumber& value) { write("fill_", x, value); }

void zero_in_place(const Tensor& x) { write("zero_", x, Number(0)); }

/// One gradient for each input.
Results grad(const TensorList& outputs, const TensorList& inputs,
             const std::optional<TensorList>& grad_outputs, bool retain_graph, bool create_graph,
             bool allow_unused) {
  if (outputs.empty() || inputs.empty())
    throw ArgumentError("grad: expected outputs and inputs: tensors or tables of tensors");
  const std::vector<Tensor> results =
      gradients(outputs, inputs, grad_outputs.value_or(TensorList()), {retain_graph, create_graph},
                allow_unused);
  return Results(results.begin(), results.end());
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
    typed_method<detach_in_place, "detach_", "x">(
        "Drops the grad function of x",
        "local x = tide.ones(2):requires_grad_() * 2; x:detach_().requires_grad --> false"),
    typed_method<retain, "retain_grad", "x">("Makes a non-leaf x keep its .grad",
                                             "local y = tide.ones(2):requires_grad_() * 2; "
                                             "y:retain_grad(); y:sum():backward(); y.grad --> "
                                             "{1.0, 1.0}"),
    typed_method<add_hook, "register_hook", "x, fn">(
        "Calls fn with each gradient of x; a result other than nil replaces the gradient. Returns "
        "a "
        "function that removes the hook",
        "local x = tide.ones(2):requires_grad_(); x:register_hook(function(g) return g * 10 end); "
        "x:sum():backward(); x.grad --> {10.0, 10.0}"),
    typed_method<copy_in_place, "copy_", "x, source, non_blocking?">(
        "Overwrites x with the values of another tensor",
        "tide.zeros(2):copy_(tide.tensor{1, 2}) --> {1.0, 2.0}"),
    typed_method<fill_in_place, "fill_", "x, value">("Overwrites x with one value",
                                                     "tide.zeros(2):fill_(7) --> {7.0, 7.0}"),
    typed_method<zero_in_place, "zero_", "x">("Overwrites x with zeros",
                                              "tide.ones(2):zero_() --> {0.0, 0.0}"),
};

constexpr Function kGradientFunctions[] = {
    typed_function<
        grad, "grad",
        "outputs, inputs, grad_outputs?, {grad_outputs, retain_graph, create_graph, allow_unused}">(
        "The gradients of outputs with respect to inputs, one result each; .grad is unchanged",
        "local x = tide.tensor({1.0, 2}, {requires_grad = true}); tide.grad(x:square():sum(), x) "
        "--> "
        "{2.0, 4.0}"),
};

}  // namespace

std::span<const Function> gradient_methods() { return kGradientMethods; }
std::span<const Function> gradient_functions() { return kGradientFunctions; }

}  // namespace tide::bindings
