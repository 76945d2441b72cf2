// Custom gradients in Lua, the basis of tide.autograd.Function.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// Fields of "tide.native":
/// - attach_gradient(name, outputs, inputs, fn): makes the outputs, a list of tensors without a
///   grad function, depend on the inputs, a list. backward calls fn(...) with the gradient of each
///   output, or nil, and expects one gradient per input, or nil. If there is a single output, its
///   value with a grad function is passed as an additional argument.
/// - snapshot(x): the current value and grad function of x, unaffected by later writes to x.
std::span<const luaL_Reg> custom_gradient_functions();

}  // namespace tide::bindings
