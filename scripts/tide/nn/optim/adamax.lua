-- optim.Adamax: Adam with the infinity norm of recent gradients instead of the root mean square.
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local Optimizer = require "tide.nn.optim.optimizer"
local tide = require "tide"

--- Adam with the largest recent gradient instead of the root mean square.
---@use optim: params, lr = 0.002, betas = {0.9, 0.999}, eps = 1e-8, weight_decay = 0, maximize = false
---@formula m = beta1 m + (1 - beta1) g; u = max(beta2 u, |g| + eps); p = p - lr m / ((1 - beta1^t) u)
---@see optim.Adam
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local adamax = optim.Adamax({w}, {lr = 0.1})
--- (w * 5):sum():backward()
--- adamax:step()
--- w --> {0.9}
local Adamax = define_optimizer("optim.Adamax", Optimizer)

function Adamax:prepare(parameter, state)
  state.step = 0
  state.exp_avg, state.exp_inf = tide.zeros_like(parameter), tide.zeros_like(parameter)
end

function Adamax:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  if group.weight_decay ~= 0 then grad = grad + parameter * group.weight_decay end
  state.step = state.step + 1
  local beta1, beta2 = group.betas[1], group.betas[2]
  local mean = state.exp_avg:mul_(beta1):add_(grad * (1 - beta1))
  state.exp_inf:copy_((state.exp_inf * beta2):maximum(grad:abs() + group.eps))
  parameter:sub_(mean / state.exp_inf * (group.lr / (1 - beta1 ^ state.step)))
end

return Adamax
