-- optim.Adagrad: steps divided by the root of the sum of all squared gradients so far.
local class = require "tide.internal.class"
local declare = require "tide.optim.internal.declare"
local Optimizer = require "tide.optim.optimizer"
local tide = require "tide"

local Adagrad = class("Adagrad", Optimizer)

local defaults = declare("Adagrad", {
  {"lr", 1e-2}, {"lr_decay", 0}, {"weight_decay", 0}, {"initial_accumulator_value", 0},
  {"eps", 1e-10}, {"maximize", false},
})

--- optim.Adagrad(net:parameters(), {lr = 0.01, lr_decay = 0})
function Adagrad:init(params, options) Optimizer.init(self, params, options, defaults) end

function Adagrad:prepare(parameter, state, group)
  state.step, state.sum = 0, tide.full_like(parameter, group.initial_accumulator_value)
end

function Adagrad:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  if group.weight_decay ~= 0 then grad = grad + parameter * group.weight_decay end
  local rate = group.lr / (1 + state.step * group.lr_decay)
  state.step = state.step + 1
  state.sum:add_(grad * grad)
  parameter:sub_(grad / (state.sum:sqrt() + group.eps) * rate)
end

return Adagrad
