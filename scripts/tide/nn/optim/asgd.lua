-- optim.ASGD: gradient descent with decaying steps that also averages the parameters.
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local Optimizer = require "tide.nn.optim.optimizer"
local tide = require "tide"

--- Averaged stochastic gradient descent.
---@use optim: params, lr = 0.01
---@param lambd number = 0.0001  decay of the parameters
---@param alpha number >= 0 = 0.75  exponent of the decay of the learning rate
---@param t0 number = 1e6  step at which averaging starts
---@use optim: weight_decay = 0, maximize = false
---@formula p = p (1 - lambd eta) - eta g; ax = mean of p from step t0 on; eta = lr / (1 + lambd lr t)^alpha
---@see optim.SGD optim.swa_utils.AveragedModel
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local asgd = optim.ASGD({w}, {lr = 0.1})
--- (w * 5):sum():backward()
--- asgd:step()
--- w --> {0.5}
local ASGD = define_optimizer("optim.ASGD", Optimizer)

function ASGD:prepare(parameter, state, group)
  state.step, state.eta, state.mu, state.ax = 0, group.lr, 1, tide.zeros_like(parameter)
end

function ASGD:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  if group.weight_decay ~= 0 then grad = grad + parameter * group.weight_decay end
  state.step = state.step + 1
  parameter:mul_(1 - group.lambd * state.eta):sub_(grad * state.eta)
  if state.mu == 1 then
    state.ax:copy_(parameter)
  else
    state.ax:add_((parameter - state.ax) * state.mu)
  end
  state.eta = group.lr / (1 + group.lambd * group.lr * state.step) ^ group.alpha
  state.mu = 1 / math.max(1, state.step - group.t0)
end

return ASGD
