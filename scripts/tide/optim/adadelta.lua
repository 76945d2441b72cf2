-- optim.Adadelta: steps as large as recent steps were, by the root mean squares of both.
local class = require "tide.internal.class"
local declare = require "tide.optim.internal.declare"
local Optimizer = require "tide.optim.optimizer"
local tide = require "tide"

local Adadelta = class("Adadelta", Optimizer)

local defaults = declare("Adadelta", {
  {"lr", 1.0}, {"rho", 0.9}, {"eps", 1e-6}, {"weight_decay", 0}, {"maximize", false},
})

--- optim.Adadelta(net:parameters(), {rho = 0.9})
function Adadelta:init(params, options) Optimizer.init(self, params, options, defaults) end

function Adadelta:prepare(parameter, state)
  state.square_avg, state.acc_delta = tide.zeros_like(parameter), tide.zeros_like(parameter)
end

function Adadelta:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  if group.weight_decay ~= 0 then grad = grad + parameter * group.weight_decay end
  local rho, eps = group.rho, group.eps
  local square = state.square_avg:mul_(rho):add_(grad * grad * (1 - rho))
  local delta = (state.acc_delta + eps):sqrt() / (square + eps):sqrt() * grad
  state.acc_delta:mul_(rho):add_(delta * delta * (1 - rho))
  parameter:sub_(delta * group.lr)
end

return Adadelta
