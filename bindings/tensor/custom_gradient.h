// Custom gradients in Lua, the basis of tide.autograd.Function.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// attach(name, outputs, inputs, fn): makes the outputs (a list of tensors without a grad function)
/// depend on the inputs (a list). backward calls fn(...) with the gradient of each output, or nil,
/// and expects one gradient per input, or nil. If there is a single output, its value with a grad
/// function is passed as an additional argument.
int attach_gradient(lua_State* L);

/// snapshot(x): the current value and grad function of x, unaffected by later writes to x.
int take_snapshot(lua_State* L);

}  // namespace tide::bindings
