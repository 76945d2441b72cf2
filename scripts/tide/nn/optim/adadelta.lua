-- optim.Adadelta: steps scaled by the ratio of the root mean squares of recent steps and gradients.
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local Optimizer = require "tide.nn.optim.optimizer"
local tide = require "tide"

--- Steps scaled by the ratio of recent steps to recent gradients.
---@use optim: params, lr = 1.0
---@param rho number in [0, 1] = 0.9  decay rate of the running means
---@use optim: eps = 1e-6, weight_decay = 0, maximize = false
---@formula v = rho v + (1 - rho) g^2; d = sqrt(u + eps) / sqrt(v + eps) g; u = rho u + (1 - rho) d^2; p = p - lr d
---@see optim.Adagrad optim.RMSprop
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local adadelta = optim.Adadelta({w})
--- (w * 5):sum():backward()
--- adadelta:step()
--- w --> {0.9968}
local Adadelta = define_optimizer("optim.Adadelta", Optimizer)

function Adadelta:prepare(parameter, state)
  state.square_avg, state.acc_delta = tide.zeros_like(parameter), tide.zeros_like(parameter)
end

function Adadelta:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  if group.weight_decay ~= 0 then grad = grad + parameter * group.weight_decay end
  local rho, eps = group.rho, group.eps
  local square = state.square_avg:mul_(rho):add_(grad * grad * (1 - rho))
  local delta = (state.acc_delta + eps):sqrt() / (square + eps):sqrt() * grad
  state.acc_delta:mul_(rho):add_(delta * delta * (1 - rho))
  parameter:sub_(delta * group.lr)
end

return Adadelta
