-- optim.SGD: gradient descent, with momentum, weight decay and Nesterov's look ahead.
local class = require "tide.internal.class"
local declare = require "tide.optim.internal.declare"
local Optimizer = require "tide.optim.optimizer"
local raise = require "tide.internal.raise"
local tide = require "tide"

local SGD = class("SGD", Optimizer)

local defaults = declare("SGD", {
  {"lr", 1e-3}, {"momentum", 0}, {"dampening", 0}, {"weight_decay", 0}, {"nesterov", false},
  {"maximize", false},
})

--- optim.SGD(net:parameters(), {lr = 0.1, momentum = 0.9})
function SGD:init(params, options) Optimizer.init(self, params, options, defaults) end

function SGD:check(options)
  if options.nesterov and (options.momentum == 0 or options.dampening ~= 0) then
    raise("SGD: nesterov needs momentum and no dampening")
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
  parameter:sub_(grad, {alpha = group.lr})
end

return SGD
