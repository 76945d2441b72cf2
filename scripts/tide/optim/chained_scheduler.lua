-- optim.lr_scheduler.ChainedScheduler: several plans at once, each changing what the others left.
local class = require "tide.internal.class"
local raise = require "tide.internal.raise"

local ChainedScheduler = class("ChainedScheduler")

--- ChainedScheduler({warmup, decay}), all of one optimizer.
function ChainedScheduler:init(schedulers)
  if type(schedulers) ~= "table" or #schedulers == 0 then
    raise("ChainedScheduler: expected a list of schedulers")
  end
  for i, scheduler in ipairs(schedulers) do
    if scheduler.optimizer ~= schedulers[1].optimizer then
      raise("ChainedScheduler: scheduler %d belongs to another optimizer", i)
    end
  end
  self.schedulers, self.optimizer = schedulers, schedulers[1].optimizer
end

function ChainedScheduler:step()
  for _, scheduler in ipairs(self.schedulers) do scheduler:step() end
end

function ChainedScheduler:get_last_lr()
  local rates = {}
  for i, group in ipairs(self.optimizer.param_groups) do rates[i] = group.lr end
  return rates
end

function ChainedScheduler:state_dict()
  local states = {}
  for i, scheduler in ipairs(self.schedulers) do states[i] = scheduler:state_dict() end
  return {schedulers = states}
end

function ChainedScheduler:load_state_dict(state)
  for i, scheduler in ipairs(self.schedulers) do scheduler:load_state_dict(state.schedulers[i]) end
end

return ChainedScheduler
