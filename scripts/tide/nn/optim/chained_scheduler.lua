-- optim.lr_scheduler.ChainedScheduler: several schedulers, applied in order at every step.
local check_plans = require "tide.nn.optim.internal.check_plans"
local define = require "tide.internal.declare.define"
local known_fields = require "tide.internal.known_fields"
local native = require "tide.native"
local rates_of = require "tide.nn.optim.internal.rates_of"

--- Applies several schedulers at every step.
---@param schedulers scheduler[]  the schedulers, in order
---@param optimizer optimizer = nil  the optimizer of the schedulers; checked if given
---@see lr_scheduler.SequentialLR lr_scheduler.LinearLR
---@example
--- local schedulers, sgd = optim.lr_scheduler, optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1})
--- local scheduler = schedulers.ChainedScheduler{schedulers.ExponentialLR(sgd, 0.5), schedulers.StepLR(sgd, 5)}
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.5
local ChainedScheduler, read = define("optim.lr_scheduler.ChainedScheduler")

known_fields.watch(ChainedScheduler, {})

function ChainedScheduler:init(...)
  local given = read(...)
  local schedulers = given.schedulers
  check_plans("ChainedScheduler", schedulers, given.optimizer)
  self.schedulers, self.optimizer = schedulers, schedulers[1].optimizer
end

function ChainedScheduler:step()
  for _, scheduler in ipairs(self.schedulers) do scheduler:step() end
end

--- Sets the learning rates of the last step again.
function ChainedScheduler:restore()
  for _, scheduler in ipairs(self.schedulers) do scheduler:restore() end
end

function ChainedScheduler:step_back()
  for _, scheduler in ipairs(self.schedulers) do scheduler:step_back() end
end

function ChainedScheduler:start_over()
  for _, scheduler in ipairs(self.schedulers) do scheduler:start_over() end
end

function ChainedScheduler:get_last_lr() return rates_of(self.optimizer) end

function ChainedScheduler:state_dict()
  local states = {}
  for i, scheduler in ipairs(self.schedulers) do states[i] = scheduler:state_dict() end
  return setmetatable({schedulers = states, _last_lr = rates_of(self.optimizer)}, native.list)
end

function ChainedScheduler:load_state_dict(state)
  for i, scheduler in ipairs(self.schedulers) do scheduler:load_state_dict(state.schedulers[i]) end
  for i, rate in ipairs(state._last_lr or {}) do self.optimizer.param_groups[i].lr = rate end
end

return ChainedScheduler
