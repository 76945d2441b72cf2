-- optim.RAdam: Adam without adaptive scaling until the estimated mean square is reliable.
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local Optimizer = require "tide.nn.optim.optimizer"
local tide = require "tide"

--- Adam without adaptive scaling until the variance estimate is reliable.
---@use optim: params, lr = 0.001, betas = {0.9, 0.999}, eps = 1e-8, weight_decay = 0, decoupled_weight_decay = false,
---  maximize = false
---@formula as Adam, without the division by sqrt(v) in the first steps, where its variance is too large
---@see optim.Adam optim.NAdam
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local radam = optim.RAdam({w}, {lr = 0.1})
--- (w * 5):sum():backward()
--- radam:step()
--- w --> {0.5}
local RAdam = define_optimizer("optim.RAdam", Optimizer)

function RAdam:prepare(parameter, state)
  state.step = 0
  state.exp_avg, state.exp_avg_sq = tide.zeros_like(parameter), tide.zeros_like(parameter)
end

function RAdam:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  grad = self:decayed(parameter, grad, group)
  state.step = state.step + 1
  local beta1, beta2, step = group.betas[1], group.betas[2], state.step
  local mean = state.exp_avg:mul_(beta1):add_(grad * (1 - beta1))
  local square = state.exp_avg_sq:mul_(beta2):add_(grad * grad * (1 - beta2))
  local corrected = mean / (1 - beta1 ^ step)
  -- The effective length of the running mean of squares: its limit, and now.
  local longest = 2 / (1 - beta2) - 1
  local length = longest - 2 * step * beta2 ^ step / (1 - beta2 ^ step)
  if length > 5 then
    local trust = math.sqrt((length - 4) * (length - 2) * longest
      / ((longest - 4) * (longest - 2) * length))
    local scale = (square:sqrt() + group.eps) / math.sqrt(1 - beta2 ^ step)
    corrected = corrected / scale * trust
  end
  parameter:sub_(corrected * group.lr)
end

return RAdam
