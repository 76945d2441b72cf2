-- optim.Rprop: step sizes of their own that grow while the gradient keeps its sign.
local class = require "tide.internal.class"
local declare = require "tide.optim.internal.declare"
local Optimizer = require "tide.optim.optimizer"
local tide = require "tide"

local Rprop = class("Rprop", Optimizer)

local defaults = declare("Rprop", {
  {"lr", 1e-2}, {"etas", {0.5, 1.2}}, {"step_sizes", {1e-6, 50}}, {"maximize", false},
})

--- optim.Rprop(net:parameters(), {lr = 0.01}), for gradients of all data
function Rprop:init(params, options) Optimizer.init(self, params, options, defaults) end

function Rprop:prepare(parameter, state, group)
  state.prev = tide.zeros_like(parameter)
  state.step_size = tide.full_like(parameter, group.lr)
end

function Rprop:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  local agreement = (grad * state.prev):sign()
  local factor = tide.where(agreement:gt(0), group.etas[2],
    tide.where(agreement:lt(0), group.etas[1], tide.ones_like(parameter)))
  state.step_size:copy_((state.step_size * factor):clamp(group.step_sizes[1], group.step_sizes[2]))
  -- Where the sign has changed the step is left out.
  local used = tide.where(agreement:lt(0), tide.zeros_like(grad), grad)
  state.prev:copy_(used)
  parameter:sub_(used:sign() * state.step_size)
end

return Rprop
