-- optim.lr_scheduler.CyclicLR: up and down between two rates again and again, the momentum against
-- it (Smith, "Cyclical learning rates for training neural networks", 2017).
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local LRScheduler = require "tide.optim.scheduler"
local momentum_of = require "tide.optim.momentum_of"
local raise = require "tide.internal.raise"

local CyclicLR = class("CyclicLR", LRScheduler)

local read = arguments("CyclicLR", {
  "optimizer", "base_lr", "max_lr", {"step_size_up", 2000}, {"step_size_down"},
  {"mode", "triangular"}, {"gamma", 1}, {"scale_fn"}, {"scale_mode", "cycle"},
  {"cycle_momentum", true}, {"base_momentum", 0.8}, {"max_momentum", 0.9}, {"last_epoch", -1},
})

-- How much of the way up each cycle goes, by cycles (from 1) or by steps.
local modes = {
  triangular = {by = "cycle", scale = function() return 1 end},
  triangular2 = {by = "cycle", scale = function(cycle) return 1 / 2 ^ (cycle - 1) end},
  exp_range = {by = "iterations", scale = function(step, gamma) return gamma ^ step end},
}

local function of_group(value, i) return type(value) == "table" and value[i] or value end

--- CyclicLR(optimizer, 0.001, 0.1, {step_size_up = 2000, mode = "triangular2"})
function CyclicLR:init(...)
  local given = read(...)
  local mode = given.scale_fn and {by = given.scale_mode, scale = given.scale_fn}
    or modes[given.mode]
  if not mode then
    raise("CyclicLR: mode must be triangular, triangular2 or exp_range, got %s", tostring(given.mode))
  end
  self.by, self.scale, self.gamma = mode.by, mode.scale, given.gamma
  self.up = given.step_size_up
  self.period = self.up + (given.step_size_down or self.up)
  self.cycle_momentum = given.cycle_momentum
  self.limits = {}
  for i, group in ipairs(given.optimizer.param_groups) do
    self.limits[i] = {
      base = of_group(given.base_lr, i), max = of_group(given.max_lr, i),
      base_momentum = of_group(given.base_momentum, i),
      max_momentum = of_group(given.max_momentum, i),
    }
    if given.last_epoch == -1 then group.lr = self.limits[i].base end
    if given.cycle_momentum and not momentum_of.exists(group) then
      raise("CyclicLR: the optimizer has no momentum to move: cycle_momentum = false")
    end
  end
  LRScheduler.init(self, given.optimizer, given.last_epoch)
end

function CyclicLR:rate(i)
  local step, limits = self.last_epoch, self.limits[i]
  local cycle, place = 1 + step // self.period, step % self.period
  local height = place <= self.up and place / self.up
    or (self.period - place) / (self.period - self.up)
  height = height * self.scale(self.by == "cycle" and cycle or step, self.gamma)
  if self.cycle_momentum then
    momentum_of.set(self.optimizer.param_groups[i],
      limits.max_momentum - (limits.max_momentum - limits.base_momentum) * height)
  end
  return limits.base + (limits.max - limits.base) * height
end

return CyclicLR
