-- optim.lr_scheduler.OneCycleLR: one cycle that rises to max_lr, then falls, with the momentum in the opposite
-- direction (Smith and Topin, "Super-convergence", 2018).
local define = require "tide.internal.declare.define"
local LRScheduler = require "tide.nn.optim.scheduler"
local momentum_of = require "tide.nn.optim.internal.momentum_of"
local of_group = require "tide.nn.optim.internal.of_group"
local raise = require "tide.internal.raise"

--- One rise and a long fall of the learning rate, with the momentum in the opposite direction.
---@use optim: optimizer, max_lr
---@param total_steps number > 0 = nil  total number of steps; nil is epochs * steps_per_epoch
---@param epochs number > 0 = nil  number of epochs, if total_steps is not given
---@param steps_per_epoch number > 0 = nil  steps per epoch, if total_steps is not given
---@param pct_start number in [0, 1] = 0.3  fraction of the steps spent increasing the learning rate
---@use optim: anneal_strategy = "cos", cycle_momentum = true, base_momentum = 0.85, max_momentum = 0.95
---@param div_factor number > 0 = 25  the initial learning rate is max_lr / div_factor
---@param final_div_factor number > 0 = 1e4  the final learning rate is the initial one / final_div_factor
---@param three_phase boolean = false  fall to the initial rate in as many steps as the rise, then to the final one
---@use optim: last_epoch = -1
---@formula from max_lr / div_factor up to max_lr in pct_start of the steps, then down to max_lr / div_factor /
---  final_div_factor
---@see lr_scheduler.CyclicLR lr_scheduler.CosineAnnealingLR training.lr_find
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local scheduler = optim.lr_scheduler.OneCycleLR(sgd, 1, {total_steps = 10})
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.52
local OneCycleLR, read = define("optim.lr_scheduler.OneCycleLR", LRScheduler)

local shapes = {
  cos = function(from, to, share) return to + (from - to) / 2 * (1 + math.cos(math.pi * share)) end,
  linear = function(from, to, share) return from + (to - from) * share end,
}

--- Phases: {last step, learning rates at start and end, momenta at start and end}, as keys of limits_of.
local function make_phases(total, share, three)
  if not three then
    return {
      {share * total - 1, "initial", "max", "max_momentum", "base_momentum"},
      {total - 1, "max", "min", "base_momentum", "max_momentum"},
    }
  end
  return {
    {share * total - 1, "initial", "max", "max_momentum", "base_momentum"},
    {2 * share * total - 2, "max", "initial", "base_momentum", "max_momentum"},
    {total - 1, "initial", "min", "max_momentum", "max_momentum"},
  }
end

function OneCycleLR:init(...)
  local given = read(...)
  local total = given.total_steps
    or (given.epochs and given.steps_per_epoch and given.epochs * given.steps_per_epoch)
  if not total then raise("OneCycleLR: total_steps is missing: pass it, or epochs and steps_per_epoch") end
  for key, value in pairs(given) do self[key] = value end
  self.total_steps = total
  self.phases = make_phases(total, given.pct_start, given.three_phase)
  LRScheduler.init(self, given.optimizer, given.last_epoch)
end

function OneCycleLR:begin(i, group)
  if self.cycle_momentum and not momentum_of.exists(group) then
    raise("OneCycleLR: the optimizer has no momentum; set cycle_momentum = false")
  end
  group.lr = of_group(self, "max_lr", i) / self.div_factor
  LRScheduler.begin(self, i, group)
end

--- Learning rates and momenta of group `i` by the names used in `phases`.
local function limits_of(self, i)
  local most = of_group(self, "max_lr", i)
  local initial = most / self.div_factor
  return {
    initial = initial, max = most, min = initial / self.final_div_factor,
    base_momentum = of_group(self, "base_momentum", i), max_momentum = of_group(self, "max_momentum", i),
  }
end

function OneCycleLR:rate(i)
  local step = self.last_epoch
  if step > self.total_steps then
    raise("OneCycleLR: step %d exceeds total_steps = %d", step, self.total_steps)
  end
  local shape, limits, start = shapes[self.anneal_strategy], limits_of(self, i), 0
  for n, phase in ipairs(self.phases) do
    local last = phase[1]
    if step <= last or n == #self.phases then
      local share = (step - start) / (last - start)
      if self.cycle_momentum then
        momentum_of.set(self.optimizer.param_groups[i],
          shape(limits[phase[4]], limits[phase[5]], share))
      end
      return shape(limits[phase[2]], limits[phase[3]], share)
    end
    start = last
  end
end

return OneCycleLR
