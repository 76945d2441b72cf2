-- optim.SGD: gradient descent with momentum, weight decay and Nesterov momentum.
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local Optimizer = require "tide.nn.optim.optimizer"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Stochastic gradient descent, optionally with momentum.
---@use optim: params, lr = 0.001, momentum = 0
---@param dampening number = 0  the gradient is multiplied by 1 - dampening in the momentum
---@use optim: weight_decay = 0, nesterov = false, maximize = false
---@formula g = grad + weight_decay p; b = momentum b + (1 - dampening) g; p = p - lr b, or with nesterov p - lr (g +
---  momentum b)
---@see optim.Adam optim.AdamW lr_scheduler.OneCycleLR optimizer:step
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local sgd = optim.SGD({w}, {lr = 0.1})
--- (w * 5):sum():backward()
--- sgd:step()
--- w --> {0.5}
local SGD = define_optimizer("optim.SGD", Optimizer)

function SGD:check(options)
  if options.nesterov and (options.momentum == 0 or options.dampening ~= 0) then
    raise("SGD: nesterov requires momentum > 0 and dampening = 0")
  end
end

function SGD:prepare(parameter, state, group)
  if group.momentum == 0 then return end
  state.momentum_buffer, state.at_rest = tide.zeros_like(parameter), true
end

function SGD:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  if group.weight_decay ~= 0 then grad = grad + parameter * group.weight_decay end
  local momentum = group.momentum
  if momentum ~= 0 then
    if not state.momentum_buffer then self:prepare(parameter, state, group) end -- it was 0 before
    local buffer = state.momentum_buffer
    if state.at_rest then
      buffer:copy_(grad)
      state.at_rest = nil
    else
      local fresh = group.dampening == 0 and grad or grad * (1 - group.dampening)
      buffer:mul_(momentum):add_(fresh)
    end
    grad = group.nesterov and grad + buffer * momentum or buffer
  end
  if tide.is_tensor(group.lr) then
    parameter:sub_(grad * group.lr)
  else
    parameter:sub_(grad, {alpha = group.lr})
  end
end

return SGD
