// Gradients that the Lua library computes itself: what tide.autograd.Function stands on.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// attach(name, outputs, inputs, fn): from now on the outputs (a list of tensors without a grad
/// function) depend on the inputs (a list); backward calls fn(...) with the gradient of each
/// output, nil where there is none, and takes one gradient for each input, or nil. With a single
/// output, its value with a grad function follows as one more argument.
int attach_gradient(lua_State* L);

/// snapshot(x): the present value and grad function of x, whatever is written into x later.
int take_snapshot(lua_State* L);

}  // namespace tide::bindings
