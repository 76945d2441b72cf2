-- optim.lr_scheduler.CyclicLR: up and down between two rates again and again, the momentum against
-- it (Smith, "Cyclical learning rates for training neural networks", 2017).
local define = require "tide.internal.declare.define"
local LRScheduler = require "tide.optim.scheduler"
local momentum_of = require "tide.optim.internal.momentum_of"
local of_group = require "tide.optim.internal.of_group"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"

--- Up and down again and again, the momentum against it.
---@use optim: optimizer
---@param base_lr number | number[]  the least learning rate, of all groups or of each
---@use optim: max_lr
---@param step_size_up number > 0 = 2000  steps that rise
---@param step_size_down number > 0 = step_size_up  steps that fall
---@param mode "triangular" | "triangular2" | "exp_range" = "triangular"  how peaks change from cycle to cycle
---@use optim: gamma = 1
---@param scale_fn function = nil  factor of a peak, in the place of mode
---@param scale_mode "cycle" | "iterations" = "cycle"  what scale_fn is called with
---@use optim: cycle_momentum = true, base_momentum = 0.8, max_momentum = 0.9, last_epoch = -1
---@formula from base_lr up to max_lr in step_size_up steps and back in step_size_down, again and again
---@see lr_scheduler.OneCycleLR
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local plan = optim.lr_scheduler.CyclicLR(sgd, 0.1, 1)
--- sgd:step()
--- plan:step()
--- sgd.param_groups[1].lr --> 0.1005
local CyclicLR, read = define("optim.lr_scheduler.CyclicLR", LRScheduler)

-- How much of the way up each cycle goes, by cycles (from 1) or by steps.
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
    raise("CyclicLR: the optimizer has no momentum to move: cycle_momentum = false")
  end
  group.lr = of_group(self, "base_lr", i)
  LRScheduler.begin(self, i, group)
end

function CyclicLR:rate(i)
  local step, up = self.last_epoch, self.step_size_up
  local cycle, place = 1 + step // self.period, step % self.period
  local height = place <= up and place / up or (self.period - place) / (self.period - up)
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
