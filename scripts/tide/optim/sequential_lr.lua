-- optim.lr_scheduler.SequentialLR: one plan after the other.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local LRScheduler = require "tide.optim.scheduler"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local rates_of = require "tide.optim.rates_of"

local SequentialLR = class("SequentialLR", LRScheduler)

local read = arguments("SequentialLR", {
  "optimizer", "schedulers", "milestones", {"last_epoch", -1},
})

--- SequentialLR(optimizer, {warmup, decay}, {10}): warmup for 10 steps, then decay from its start.
function SequentialLR:init(...)
  local given = read(...)
  if #given.milestones ~= #given.schedulers - 1 then
    raise("SequentialLR: %d schedulers need %d milestones, got %d", #given.schedulers,
      #given.schedulers - 1, #given.milestones)
  end
  self.optimizer, self.schedulers = given.optimizer, given.schedulers
  self.milestones, self.last_epoch = given.milestones, given.last_epoch + 1
  -- Each of them has set its own first rate: only the first one's counts.
  for _, group in ipairs(self.optimizer.param_groups) do group.lr = group.initial_lr end
  for _, scheduler in ipairs(self.schedulers) do
    scheduler.last_epoch = scheduler.last_epoch - 1
  end
  self.schedulers[1]:step()
end

function SequentialLR:step()
  self.last_epoch = self.last_epoch + 1
  local current = 1
  while current <= #self.milestones and self.last_epoch >= self.milestones[current] do
    current = current + 1
  end
  local scheduler = self.schedulers[current]
  if current > 1 and self.milestones[current - 1] == self.last_epoch then
    -- From the first rate, whatever the plans before made of it.
    for _, group in ipairs(self.optimizer.param_groups) do group.lr = group.initial_lr end
    scheduler.last_epoch = -1
  end
  scheduler:step()
end

function SequentialLR:get_last_lr() return rates_of(self.optimizer) end

function SequentialLR:state_dict()
  local states = {}
  for i, scheduler in ipairs(self.schedulers) do states[i] = scheduler:state_dict() end
  local state = {last_epoch = self.last_epoch, milestones = self.milestones, schedulers = states}
  return setmetatable(state, native.list)
end

function SequentialLR:load_state_dict(state)
  self.last_epoch, self.milestones = state.last_epoch, state.milestones
  for i, scheduler in ipairs(self.schedulers) do scheduler:load_state_dict(state.schedulers[i]) end
end

return SequentialLR
