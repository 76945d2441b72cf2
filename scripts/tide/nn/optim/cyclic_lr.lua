-- optim.lr_scheduler.CyclicLR: cycles between two learning rates, with the momentum in the opposite direction
-- (Smith, "Cyclical learning rates for training neural networks", 2017).
local define = require "tide.internal.declare.define"
local LRScheduler = require "tide.nn.optim.scheduler"
local momentum_of = require "tide.nn.optim.internal.momentum_of"
local of_group = require "tide.nn.optim.internal.of_group"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"

--- Cycles the learning rate between two bounds, and the momentum in the opposite direction.
---@use optim: optimizer
---@param base_lr number | number[]  lowest learning rate, of all groups or of each
---@use optim: max_lr
---@param step_size_up number > 0 = 2000  steps of the rising half of a cycle
---@param step_size_down number > 0 = step_size_up  steps of the falling half of a cycle
---@param mode "triangular" | "triangular2" | "exp_range" = "triangular"  how the amplitude changes: not at all,
---  halved in each cycle, or by gamma in each step
---@use optim: gamma = 1
---@param scale_fn function = nil  factor of the amplitude, used instead of mode
---@param scale_mode "cycle" | "iterations" = "cycle"  argument of scale_fn: number of the cycle, or of the step
---@use optim: cycle_momentum = true, base_momentum = 0.8, max_momentum = 0.9, last_epoch = -1
---@formula from base_lr up to max_lr in step_size_up steps and back in step_size_down, repeatedly
---@see lr_scheduler.OneCycleLR
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local scheduler = optim.lr_scheduler.CyclicLR(sgd, 0.1, 1)
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.1005
local CyclicLR, read = define("optim.lr_scheduler.CyclicLR", LRScheduler)

-- Factors of the amplitude, by cycle (from 1) or by step.
local modes = {
  triangular = {by = "cycle", scale = function() return 1 end},
  triangular2 = {by = "cycle", scale = function(cycle) return 1 / 2 ^ (cycle - 1) end},
  exp_range = {by = "iterations", scale = function(step, gamma) return gamma ^ step end},
}

function CyclicLR:init(...)
  local given = read(...)
  local mode = given.scale_fn and {by = given.scale_mode, scale = given.scale_fn}
    or modes[given.mode]
  for key, value in pairs(given) do self[key] = value end
  self.by, self.scale = mode.by, mode.scale
  self.period = given.step_size_up + given.step_size_down
  LRScheduler.init(self, given.optimizer, given.last_epoch)
end

function CyclicLR:begin(i, group)
  if self.cycle_momentum and not momentum_of.exists(group) then
    raise("CyclicLR: the optimizer has no momentum; set cycle_momentum = false")
  end
  group.lr = of_group(self, "base_lr", i)
  LRScheduler.begin(self, i, group)
end

function CyclicLR:rate(i)
  local step, up = self.last_epoch, self.step_size_up
  local cycle, offset = 1 + step // self.period, step % self.period
  local height = offset <= up and offset / up or (self.period - offset) / (self.period - up)
  local scale = self.scale(self.by == "cycle" and cycle or step, self.gamma)
  height = height * of_type("CyclicLR", "result of scale_fn", scale, "number")
  if self.cycle_momentum then
    local least, most = of_group(self, "base_momentum", i), of_group(self, "max_momentum", i)
    momentum_of.set(self.optimizer.param_groups[i], most - (most - least) * height)
  end
  local base = of_group(self, "base_lr", i)
  return base + (of_group(self, "max_lr", i) - base) * height
end

return CyclicLR
