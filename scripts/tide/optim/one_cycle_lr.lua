-- optim.lr_scheduler.OneCycleLR: one rise to max_lr and a long fall, the momentum against it
-- (Smith and Topin, "Super-convergence", 2018).
local arguments = require "tide.internal.arguments"
local check_positive = require "tide.optim.internal.check_positive"
local class = require "tide.internal.class"
local LRScheduler = require "tide.optim.scheduler"
local momentum_of = require "tide.optim.internal.momentum_of"
local of_group = require "tide.optim.internal.of_group"
local raise = require "tide.internal.raise"

local OneCycleLR = class("OneCycleLR", LRScheduler)

local read = arguments("OneCycleLR", {
  "optimizer", "max_lr", {"total_steps"}, {"epochs"}, {"steps_per_epoch"}, {"pct_start", 0.3},
  {"anneal_strategy", "cos"}, {"cycle_momentum", true}, {"base_momentum", 0.85},
  {"max_momentum", 0.95}, {"div_factor", 25}, {"final_div_factor", 1e4}, {"three_phase", false},
  {"last_epoch", -1},
}, {
  total_steps = "number", epochs = "number", steps_per_epoch = "number", pct_start = "number", cycle_momentum = "boolean",
  div_factor = "number", final_div_factor = "number", three_phase = "boolean", last_epoch = "number",
})

local shapes = {
  cos = function(from, to, share) return to + (from - to) / 2 * (1 + math.cos(math.pi * share)) end,
  linear = function(from, to, share) return from + (to - from) * share end,
}

--- {end of the phase in steps, rates at its start and end, momenta likewise}, by names of values.
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

--- OneCycleLR(optimizer, 0.1, {total_steps = 1000}), or with epochs and steps_per_epoch.
function OneCycleLR:init(...)
  local given = read(...)
  local total = given.total_steps
    or (given.epochs and given.steps_per_epoch and given.epochs * given.steps_per_epoch)
  if not total then raise("OneCycleLR: total_steps, or epochs and steps_per_epoch, are missing") end
  check_positive("OneCycleLR", "total_steps", total)
  if not shapes[given.anneal_strategy] then
    raise("OneCycleLR: anneal_strategy must be cos or linear, got %s", tostring(given.anneal_strategy))
  end
  for key, value in pairs(given) do self[key] = value end
  self.total_steps = total
  self.phases = make_phases(total, given.pct_start, given.three_phase)
  LRScheduler.init(self, given.optimizer, given.last_epoch)
end

function OneCycleLR:begin(i, group)
  if self.cycle_momentum and not momentum_of.exists(group) then
    raise("OneCycleLR: the optimizer has no momentum to move: cycle_momentum = false")
  end
  group.lr = of_group(self, "max_lr", i) / self.div_factor
  LRScheduler.begin(self, i, group)
end

--- Rates and momenta at the ends of group `i`'s phases, by the names that `phases` have for them.
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
    raise("OneCycleLR: step %d of %d: the plan is over", step, self.total_steps)
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
