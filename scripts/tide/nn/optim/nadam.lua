-- optim.NAdam: Adam with Nesterov momentum.
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local Optimizer = require "tide.nn.optim.optimizer"
local tide = require "tide"

--- Adam with Nesterov momentum.
---@use optim: params, lr = 0.002, betas = {0.9, 0.999}, eps = 1e-8, weight_decay = 0
---@param momentum_decay number >= 0 = 0.004  decay rate of the momentum schedule
---@use optim: decoupled_weight_decay = false, maximize = false
---@formula as Adam, with the momentum of the next step: mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2)
---@see optim.Adam optim.RAdam
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local nadam = optim.NAdam({w}, {lr = 0.1})
--- (w * 5):sum():backward()
--- nadam:step()
--- w --> {0.8944}
local NAdam = define_optimizer("optim.NAdam", Optimizer)

function NAdam:prepare(parameter, state)
  state.step, state.mu_product = 0, 1
  state.exp_avg, state.exp_avg_sq = tide.zeros_like(parameter), tide.zeros_like(parameter)
end

function NAdam:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  grad = self:decayed(parameter, grad, group)
  state.step = state.step + 1
  local beta1, beta2, step = group.betas[1], group.betas[2], state.step
  local function momentum(at) return beta1 * (1 - 0.5 * 0.96 ^ (at * group.momentum_decay)) end
  local now, ahead = momentum(step), momentum(step + 1)
  state.mu_product = state.mu_product * now
  local mean = state.exp_avg:mul_(beta1):add_(grad * (1 - beta1))
  local square = state.exp_avg_sq:mul_(beta2):add_(grad * grad * (1 - beta2))
  local scale = (square / (1 - beta2 ^ step)):sqrt() + group.eps
  parameter:sub_(grad / scale * (group.lr * (1 - now) / (1 - state.mu_product)))
  parameter:sub_(mean / scale * (group.lr * ahead / (1 - state.mu_product * ahead)))
end

return NAdam
