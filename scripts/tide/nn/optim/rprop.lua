-- optim.Rprop: per-element step sizes that grow while the gradient keeps its sign.
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local Optimizer = require "tide.nn.optim.optimizer"
local raise = require "tide.internal.raise"
local table_text = require "tide.internal.table_text"
local tide = require "tide"

--- Per-element step sizes that grow while the gradient keeps its sign.
---@use optim: params, lr = 0.01
---@param etas number[2] > 0 = {0.5, 1.2}  factors of the step size if the gradient changed its sign, or kept it
---@param step_sizes number[2] >= 0 = {1e-6, 50}  smallest and largest step size
---@use optim: maximize = false
---@formula each element has its own step size, which grows by etas[2] while the sign of g stays and shrinks by
---  etas[1] when it changes
---@see optim.SGD
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local rprop = optim.Rprop({w}, {lr = 0.1})
--- (w * 5):sum():backward()
--- rprop:step()
--- w --> {0.9}
local Rprop = define_optimizer("optim.Rprop", Optimizer)

function Rprop:check(options)
  if options.etas[1] >= 1 or options.etas[2] <= 1 then
    raise("Rprop: etas must be two numbers, below 1 and above 1, got %s", table_text(options.etas))
  end
  if options.step_sizes[1] > options.step_sizes[2] then
    raise("Rprop: step_sizes must be two numbers, in order, got %s", table_text(options.step_sizes))
  end
end

function Rprop:prepare(parameter, state, group)
  state.prev = tide.zeros_like(parameter)
  local lr = group.lr
  state.step_size = tide.is_tensor(lr) and tide.zeros_like(parameter) + lr or tide.full_like(parameter, lr)
end

function Rprop:update(parameter, grad, state, group)
  if group.maximize then grad = -grad end
  local agreement = (grad * state.prev):sign()
  local factor = tide.where(agreement:gt(0), group.etas[2],
    tide.where(agreement:lt(0), group.etas[1], tide.ones_like(parameter)))
  state.step_size:copy_((state.step_size * factor):clamp(group.step_sizes[1], group.step_sizes[2]))
  -- No step where the sign changed.
  local used = tide.where(agreement:lt(0), tide.zeros_like(grad), grad)
  state.prev:copy_(used)
  parameter:sub_(used:sign() * state.step_size)
end

return Rprop
