-- optim.lr_scheduler.ChainedScheduler: several plans at once, each changing what the others left.
local class = require "tide.internal.class"
local known_fields = require "tide.internal.known_fields"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local rates_of = require "tide.optim.rates_of"

local ChainedScheduler = class("ChainedScheduler")

known_fields.watch(ChainedScheduler, {})

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

function ChainedScheduler:get_last_lr() return rates_of(self.optimizer) end

function ChainedScheduler:state_dict()
  local states = {}
  for i, scheduler in ipairs(self.schedulers) do states[i] = scheduler:state_dict() end
  return setmetatable({schedulers = states}, native.list)
end

function ChainedScheduler:load_state_dict(state)
  for i, scheduler in ipairs(self.schedulers) do scheduler:load_state_dict(state.schedulers[i]) end
end

return ChainedScheduler
