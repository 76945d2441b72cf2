-- optim.Adam: steps scaled by running means of the gradient and of its square.
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local Optimizer = require "tide.nn.optim.optimizer"
local tide = require "tide"

--- Steps scaled by running means of the gradient and its square.
---@use optim: params, lr = 0.001, betas = {0.9, 0.999}, eps = 1e-8, weight_decay = 0, amsgrad = false, maximize =
---  false
---@formula m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; p = p - lr m / (1 - beta1^t) / (sqrt(v / (1 -
---  beta2^t)) + eps), g = grad + weight_decay p
---@see optim.AdamW optim.SGD optim.NAdam optim.RAdam
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local adam = optim.Adam({w}, {lr = 0.1})
--- (w * 5):sum():backward()
--- adam:step()
--- w --> {0.9}
local Adam = define_optimizer("optim.Adam", Optimizer)

--- Weight decay as part of the gradient.
function Adam:decay(parameter, grad, group) return grad + parameter * group.weight_decay end

function Adam:prepare(parameter, state, group)
  state.step = 0
  state.exp_avg, state.exp_avg_sq = tide.zeros_like(parameter), tide.zeros_like(parameter)
  if group.amsgrad then state.max_exp_avg_sq = tide.zeros_like(parameter) end
end

function Adam:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  if group.weight_decay ~= 0 then grad = self:decay(parameter, grad, group) end
  local beta1, beta2 = group.betas[1], group.betas[2]
  state.step = state.step + 1
  local mean = state.exp_avg:mul_(beta1):add_(grad, {alpha = 1 - beta1})
  local square = state.exp_avg_sq:mul_(beta2):addcmul_(grad, grad, {value = 1 - beta2})
  if group.amsgrad then
    state.max_exp_avg_sq:copy_(state.max_exp_avg_sq:maximum(square))
    square = state.max_exp_avg_sq
  end
  -- Bias correction: both means start at 0 and are too small at first.
  local correction1, correction2 = 1 - beta1 ^ state.step, 1 - beta2 ^ state.step
  local scale = square:sqrt() / math.sqrt(correction2) + group.eps
  if tide.is_tensor(group.lr) then
    parameter:sub_(mean / scale * (group.lr / correction1))
  else
    parameter:addcdiv_(mean, scale, {value = -group.lr / correction1})
  end
end

return Adam
