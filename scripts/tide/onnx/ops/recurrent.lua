-- RNN, GRU and LSTM.
local recurrence = require "tide.onnx.recurrence"

local ops = {}

ops.attributes = {
  GRU = "activation_alpha activation_beta activations clip direction hidden_size layout linear_before_reset",
  LSTM = "activation_alpha activation_beta activations clip direction hidden_size input_forget layout",
  RNN = "activation_alpha activation_beta activations clip direction hidden_size layout",
}

function ops.RNN(node, x, w, r, b, lengths, h) return recurrence("RNN", node, x, w, r, b, lengths, {h}) end

function ops.GRU(node, x, w, r, b, lengths, h) return recurrence("GRU", node, x, w, r, b, lengths, {h}) end

function ops.LSTM(node, x, w, r, b, lengths, h, c, p)
  return recurrence("LSTM", node, x, w, r, b, lengths, {h, c}, p)
end

return ops
