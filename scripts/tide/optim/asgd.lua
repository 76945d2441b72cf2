-- optim.ASGD: gradient descent with decaying steps that also keeps the mean of the parameters.
local class = require "tide.internal.class"
local declare = require "tide.optim.internal.declare"
local Optimizer = require "tide.optim.optimizer"
local tide = require "tide"

local ASGD = class("ASGD", Optimizer)

local defaults = declare("ASGD", {
  {"lr", 1e-2}, {"lambd", 1e-4}, {"alpha", 0.75}, {"t0", 1e6}, {"weight_decay", 0},
  {"maximize", false},
})

--- optim.ASGD(net:parameters(), {lr = 0.01}); the mean of a parameter is state[parameter].ax
function ASGD:init(params, options) Optimizer.init(self, params, options, defaults) end

function ASGD:prepare(parameter, state, group)
  state.step, state.eta, state.mu, state.ax = 0, group.lr, 1, tide.zeros_like(parameter)
end

function ASGD:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  if group.weight_decay ~= 0 then grad = grad + parameter * group.weight_decay end
  state.step = state.step + 1
  parameter:mul_(1 - group.lambd * state.eta):sub_(grad * state.eta)
  if state.mu == 1 then
    state.ax:copy_(parameter)
  else
    state.ax:add_((parameter - state.ax) * state.mu)
  end
  state.eta = group.lr / (1 + group.lambd * group.lr * state.step) ^ group.alpha
  state.mu = 1 / math.max(1, state.step - group.t0)
end

return ASGD
