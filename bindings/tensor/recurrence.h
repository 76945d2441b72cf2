// Recurrent layers as a single op, used by nn.RNN, nn.LSTM and nn.GRU if the device supports it.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// Fields of "tide.native", as in runtime/ops/nn/recurrence.h:
/// - does_recurrence(x): whether the device of x supports the other two for its type.
/// - recurrence(cell, backwards?, sizes, input, state, weight, bias?, keep?): a list of tensors.
///   cell is "tanh", "relu", "lstm" or "gru".
/// - recurrence_backward(cell, backwards?, sizes, gradients, kept, weight): likewise.
std::span<const luaL_Reg> recurrence_functions();

}  // namespace tide::bindings
