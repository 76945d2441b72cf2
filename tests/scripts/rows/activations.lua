-- Elementwise functions of tide.nn.functional: rows as in unary.lua.
local exp, log, max, min = math.exp, math.log, math.max, math.min

local function sigmoid(x) return 1 / (1 + exp(-x)) end

local function tanh(x) return 2 * sigmoid(2 * x) - 1 end

local function softplus(x) return log(1 + exp(x)) end

return {
  {op = "celu", from = -3, to = 3, reference = function(x) return max(x, 0.0) + min(0.0,
    exp(x) - 1) end},
  {op = "elu", from = -3, to = 3, reference = function(x) return x > 0 and x or exp(x) - 1 end},
  {op = "hardsigmoid", from = -2.9, to = 2.9, reference = function(x) return min(max(x / 6 + 0.5,
    0), 1) end},
  {op = "hardswish", from = -2.9, to = 2.9, reference = function(x) return x * min(max(x + 3, 0),
    6) / 6 end},
  {op = "hardtanh", from = -0.9, to = 0.9, reference = function(x) return min(max(x, -1), 1) end},
  {op = "leaky_relu", from = -3, to = 3, reference = function(x) return x > 0 and x
    or 0.01 * x end},
  {op = "logsigmoid", from = -5, to = 5, reference = function(x) return -softplus(-x) end},
  {op = "mish", from = -4, to = 4, reference = function(x) return x * tanh(softplus(x)) end},
  {op = "relu6", from = -3, to = 5.9, reference = function(x) return min(max(x, 0.0), 6) end},
  {op = "silu", from = -6, to = 6, reference = function(x) return x * sigmoid(x) end},
  {op = "softplus", from = -5, to = 5, reference = softplus},
  {op = "squareplus", from = -5, to = 5, reference = function(x) return (x + math.sqrt(x * x +
    4)) / 2 end},
  {op = "softsign", from = -5, to = 5, reference = function(x) return x / (1 + math.abs(x)) end},
}
