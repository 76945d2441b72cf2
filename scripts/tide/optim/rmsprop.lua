-- optim.RMSprop: steps divided by the root of a running mean of the squared gradient.
local class = require "tide.internal.class"
local declare = require "tide.optim.internal.declare"
local Optimizer = require "tide.optim.optimizer"
local tide = require "tide"

local RMSprop = class("RMSprop", Optimizer)

local defaults = declare("RMSprop", {
  {"lr", 1e-2}, {"alpha", 0.99}, {"eps", 1e-8}, {"weight_decay", 0}, {"momentum", 0},
  {"centered", false}, {"maximize", false},
})

--- optim.RMSprop(net:parameters(), {lr = 0.01, alpha = 0.99, centered = true})
function RMSprop:init(params, options) Optimizer.init(self, params, options, defaults) end

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
    -- What remains is the variance of the gradient.
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
