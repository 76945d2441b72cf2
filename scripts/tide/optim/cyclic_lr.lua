-- optim.lr_scheduler.CyclicLR: up and down between two rates again and again, the momentum against
-- it (Smith, "Cyclical learning rates for training neural networks", 2017).
local arguments = require "tide.internal.arguments"
local check_positive = require "tide.optim.internal.check_positive"
local class = require "tide.internal.class"
local LRScheduler = require "tide.optim.scheduler"
local momentum_of = require "tide.optim.internal.momentum_of"
local of_group = require "tide.optim.internal.of_group"
local of_kind = require "tide.internal.of_kind"
local raise = require "tide.internal.raise"

local CyclicLR = class("CyclicLR", LRScheduler)

local read = arguments("CyclicLR", {
  "optimizer", "base_lr", "max_lr", {"step_size_up", 2000}, {"step_size_down"},
  {"mode", "triangular"}, {"gamma", 1}, {"scale_fn"}, {"scale_mode", "cycle"},
  {"cycle_momentum", true}, {"base_momentum", 0.8}, {"max_momentum", 0.9}, {"last_epoch", -1},
}, {
  step_size_up = "number", step_size_down = "number", mode = "string", gamma = "number", scale_fn = "function",
  scale_mode = "string", cycle_momentum = "boolean", last_epoch = "number",
})

-- How much of the way up each cycle goes, by cycles (from 1) or by steps.
local modes = {
  triangular = {by = "cycle", scale = function() return 1 end},
  triangular2 = {by = "cycle", scale = function(cycle) return 1 / 2 ^ (cycle - 1) end},
  exp_range = {by = "iterations", scale = function(step, gamma) return gamma ^ step end},
}

--- CyclicLR(optimizer, 0.001, 0.1, {step_size_up = 2000, mode = "triangular2"})
function CyclicLR:init(...)
  local given = read(...)
  local mode = given.scale_fn and {by = given.scale_mode, scale = given.scale_fn}
    or modes[given.mode]
  if not mode then
    raise("CyclicLR: mode must be triangular, triangular2 or exp_range, got %s", tostring(given.mode))
  end
  check_positive("CyclicLR", "step_size_up", given.step_size_up)
  if given.step_size_down then check_positive("CyclicLR", "step_size_down", given.step_size_down) end
  for key, value in pairs(given) do self[key] = value end
  self.by, self.scale = mode.by, mode.scale
  self.period = given.step_size_up + (given.step_size_down or given.step_size_up)
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
  height = height * of_kind("CyclicLR", "result of scale_fn", self.scale(self.by == "cycle" and cycle or step, self.gamma),
    "number")
  if self.cycle_momentum then
    local least, most = of_group(self, "base_momentum", i), of_group(self, "max_momentum", i)
    momentum_of.set(self.optimizer.param_groups[i], most - (most - least) * height)
  end
  local base = of_group(self, "base_lr", i)
  return base + (of_group(self, "max_lr", i) - base) * height
end

return CyclicLR
