-- optim.RMSprop: steps divided by the root mean square of recent gradients.
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local Optimizer = require "tide.nn.optim.optimizer"
local tide = require "tide"

--- Steps divided by the root mean square of recent gradients.
---@use optim: params, lr = 0.01
---@param alpha number >= 0 = 0.99  decay rate of the running mean of squares
---@use optim: eps = 1e-8, weight_decay = 0, momentum = 0
---@param centered boolean = false  divide by the variance of the gradient instead of its mean square
---@use optim: maximize = false
---@formula v = alpha v + (1 - alpha) g^2; p = p - lr g / (sqrt(v) + eps); centered uses v - mean(g)^2;
---  momentum as in SGD
---@see optim.Adam optim.Adagrad
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local rmsprop = optim.RMSprop({w}, {lr = 0.1})
--- (w * 5):sum():backward()
--- rmsprop:step()
--- w --> {0.0}
local RMSprop = define_optimizer("optim.RMSprop", Optimizer)

function RMSprop:prepare(parameter, state, group)
  state.square_avg = tide.zeros_like(parameter)
  if group.centered then state.grad_avg = tide.zeros_like(parameter) end
  if group.momentum ~= 0 then state.momentum_buffer = tide.zeros_like(parameter) end
end

function RMSprop:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  if group.weight_decay ~= 0 then grad = grad + parameter * group.weight_decay end
  local alpha = group.alpha
  local square = state.square_avg:mul_(alpha):add_(grad * grad * (1 - alpha))
  if group.centered then
    -- Becomes the variance of the gradient.
    local mean = state.grad_avg:mul_(alpha):add_(grad * (1 - alpha))
    square = square - mean * mean
  end
  local step = grad / (square:sqrt() + group.eps)
  if group.momentum ~= 0 then
    step = state.momentum_buffer:mul_(group.momentum):add_(step)
  end
  parameter:sub_(step * group.lr)
end

return RMSprop
