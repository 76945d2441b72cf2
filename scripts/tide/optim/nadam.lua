-- optim.NAdam: Adam that looks ahead as Nesterov's momentum does.
local class = require "tide.internal.class"
local declare = require "tide.optim.internal.declare"
local Optimizer = require "tide.optim.optimizer"
local tide = require "tide"

local NAdam = class("NAdam", Optimizer)

local defaults = declare("NAdam", {
  {"lr", 2e-3}, {"betas", {0.9, 0.999}}, {"eps", 1e-8}, {"weight_decay", 0},
  {"momentum_decay", 4e-3}, {"decoupled_weight_decay", false}, {"maximize", false},
})

--- optim.NAdam(net:parameters(), {lr = 0.002})
function NAdam:init(params, options) Optimizer.init(self, params, options, defaults) end

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
