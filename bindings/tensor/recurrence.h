// Recurrent layers as a single op, used by nn.RNN, nn.LSTM and nn.GRU if the device supports it.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// does_recurrence(x): whether the device of x supports the other two for its type.
int does_recurrence_of(lua_State* L);
/// recurrence(cell, backwards, sizes, input, state, weight, bias, keep): a list of tensors, as in
/// runtime/ops/nn/recurrence.h. cell is "tanh", "relu", "lstm" or "gru".
int run_recurrence(lua_State* L);
/// recurrence_backward(cell, backwards, sizes, gradients, kept, weight): likewise.
int run_recurrence_backward(lua_State* L);

}  // namespace tide::bindings
