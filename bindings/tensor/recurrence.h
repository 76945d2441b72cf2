// Recurrent layers as one op: what nn.RNN, nn.LSTM and nn.GRU stand on where the device has it.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// does_recurrence(x): whether the device of x has the other two for values of its type.
int does_recurrence_of(lua_State* L);
/// recurrence(cell, backwards, sizes, input, state, weight, bias, keep): a list of tensors, as the
/// function of runtime/ops/nn/recurrence.h gives it. cell is "tanh", "relu", "lstm" or "gru".
int run_recurrence(lua_State* L);
/// recurrence_backward(cell, backwards, sizes, gradients, kept, weight): likewise.
int run_recurrence_backward(lua_State* L);

}  // namespace tide::bindings
