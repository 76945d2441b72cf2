-- optim.lr_scheduler.SequentialLR: several schedulers in sequence.
local define = require "tide.internal.declare.define"
local check_plans = require "tide.nn.optim.internal.check_plans"
local LRScheduler = require "tide.nn.optim.scheduler"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local rates_of = require "tide.nn.optim.internal.rates_of"

--- Runs several schedulers in sequence, switching at milestones.
---@use optim: optimizer
---@param schedulers scheduler[]  the schedulers, in order
---@use optim: milestones, last_epoch = -1
---@see lr_scheduler.ChainedScheduler lr_scheduler.LinearLR
---@example
--- local schedulers, sgd = optim.lr_scheduler, optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1})
--- local scheduler = schedulers.SequentialLR(sgd, {schedulers.ConstantLR(sgd), schedulers.StepLR(sgd, 5)}, {2})
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.3333
local SequentialLR, read = define("optim.lr_scheduler.SequentialLR", LRScheduler)

local function set_first_rates(optimizer)
  for _, group in ipairs(optimizer.param_groups) do group.lr = group.initial_lr or group.lr end
end

--- SequentialLR(optimizer, {warmup, decay}, {10}): warmup for 10 steps, then decay from its start.
function SequentialLR:init(...)
  local given = read(...)
  if #given.milestones ~= #given.schedulers - 1 then
    raise("SequentialLR: %d schedulers require %d milestones, got %d", #given.schedulers,
      #given.schedulers - 1, #given.milestones)
  end
  check_plans("SequentialLR", given.schedulers, given.optimizer)
  self.optimizer, self.schedulers = given.optimizer, given.schedulers
  self.milestones, self.last_epoch = given.milestones, given.last_epoch + 1
  -- Each scheduler has set its own first rate; only that of the first one applies.
  set_first_rates(self.optimizer)
  for _, scheduler in ipairs(self.schedulers) do scheduler:step_back() end
  self.schedulers[1]:step()
end

--- The active scheduler, and the step at which it started.
local function current(sequence)
  local i = 1
  while i <= #sequence.milestones and sequence.last_epoch >= sequence.milestones[i] do i = i + 1 end
  return sequence.schedulers[i], sequence.milestones[i - 1]
end

function SequentialLR:step()
  self.last_epoch = self.last_epoch + 1
  local scheduler, begin = current(self)
  if begin == self.last_epoch then
    -- Starts from the initial rate, regardless of the schedulers before.
    set_first_rates(self.optimizer)
    scheduler:start_over()
  end
  scheduler:step()
end

function SequentialLR:restore() current(self):restore() end

function SequentialLR:step_back()
  self.last_epoch = self.last_epoch - 1
  current(self):step_back()
end

function SequentialLR:start_over()
  self.last_epoch = -1
  self.schedulers[1]:start_over()
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
  self:restore()
end

return SequentialLR
