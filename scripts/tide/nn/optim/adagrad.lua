-- optim.Adagrad: steps divided by the square root of the sum of all squared gradients.
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local Optimizer = require "tide.nn.optim.optimizer"
local tide = require "tide"

--- Steps divided by the square root of the sum of all squared gradients.
---@use optim: params, lr = 0.01
---@param lr_decay number >= 0 = 0  lr is divided by 1 + steps * lr_decay
---@use optim: weight_decay = 0
---@param initial_accumulator_value number >= 0 = 0  initial sum of squares
---@use optim: eps = 1e-10, maximize = false
---@formula s = s + g^2; p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps)
---@see optim.RMSprop optim.Adadelta
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local adagrad = optim.Adagrad({w}, {lr = 0.1})
--- (w * 5):sum():backward()
--- adagrad:step()
--- w --> {0.9}
local Adagrad = define_optimizer("optim.Adagrad", Optimizer)

function Adagrad:prepare(parameter, state, group)
  state.step, state.sum = 0, tide.full_like(parameter, group.initial_accumulator_value)
end

function Adagrad:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  if group.weight_decay ~= 0 then grad = grad + parameter * group.weight_decay end
  local rate = group.lr / (1 + state.step * group.lr_decay)
  state.step = state.step + 1
  state.sum:add_(grad * grad)
  parameter:sub_(grad / (state.sum:sqrt() + group.eps) * rate)
end

return Adagrad
