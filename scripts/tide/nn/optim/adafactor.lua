-- optim.Adafactor: squared gradients stored as means of rows and columns, steps in proportion to the root mean square
-- of the parameters (Shazeer and Stern, 2018).
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local of_type = require "tide.internal.declare.of_type"
local Optimizer = require "tide.nn.optim.optimizer"
local tide = require "tide"

--- Memory-efficient Adam: squared gradients are stored as means of rows and columns; steps scale with parameters.
---@use optim: params, lr = 0.01
---@param beta2_decay number <= 0 = -0.8  exponent of the decay of the mean squared gradient
---@param eps table = {false, 0.001}  lower bound for gradients (false is the machine epsilon of the type), and for the
---  root mean square of a parameter
---@param d number >= 1 = 1.0  largest root mean square of a step
---@use optim: weight_decay = 0.0, maximize = false
---@formula as Adam without m, with the squared gradients of a matrix stored as means of its rows and columns
---@see optim.AdamW
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local adafactor = optim.Adafactor({w}, {lr = 0.1})
--- (w * 5):sum():backward()
--- adafactor:step()
--- w --> {0.9}
local Adafactor = define_optimizer("optim.Adafactor", Optimizer)

function Adafactor:check(options)
  of_type("Adafactor", "eps[1]", options.eps[1], "number >= 0 | false")
  of_type("Adafactor", "eps[2]", options.eps[2], "number >= 0")
end

function Adafactor:prepare(parameter, state)
  state.step = 0
  if parameter:dim() > 1 then
    state.row_var = tide.zeros_like(parameter:select(-1, 1):unsqueeze(-1))
    state.col_var = tide.zeros_like(parameter:select(-2, 1):unsqueeze(-2))
  else
    state.variance = tide.zeros_like(parameter)
  end
end

--- The root of the mean square of all elements.
local function root_mean_square(x) return x:norm() / x:numel() ^ 0.5 end

--- Estimates the mean squared gradient, of matrices from the means of their rows and columns.
local function estimate(grad, state, share, least)
  local squares = grad * grad
  if not state.row_var then
    state.variance:lerp_(squares, share)
    return state.variance
  end
  state.row_var:lerp_(squares:mean(-1, true), share)
  state.col_var:lerp_(squares:mean(-2, true), share)
  local scale = state.row_var:mean(-2, true):clamp(least)
  return state.row_var:matmul(state.col_var) / scale
end

function Adafactor:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  state.step = state.step + 1
  local least = group.eps[1] or tide.finfo(parameter.dtype).eps
  local rate = math.min(group.lr, 1 / state.step ^ 0.5)
  local size = root_mean_square(parameter):clamp(group.eps[2]) * rate
  if group.weight_decay ~= 0 then parameter:mul_(1 - group.lr * group.weight_decay) end
  local squares = estimate(grad, state, state.step ^ group.beta2_decay, least)
  local step = squares:clamp(least * least):rsqrt() * grad
  local length = (root_mean_square(step) / group.d):clamp(1)
  parameter:sub_(step * (size / length))
end

return Adafactor
