-- Plans for the learning rate that are one formula each: StepLR, CosineAnnealingLR and others.
local arguments = require "tide.internal.arguments"
local check_positive = require "tide.optim.internal.check_positive"
local class = require "tide.internal.class"
local kind_of = require "tide.internal.kind_of"
local LRScheduler = require "tide.optim.scheduler"
local raise = require "tide.internal.raise"

local schedules = {}

--- Makes the class of a plan from its parameters (as tide.arguments has them) and its formula
--- `rate(self, group, base, now)`. The parameters are fields of the plan. `positive` names one that must be above 0.
local function schedule(name, parameters, rate, positive)
  local kinds = {last_epoch = "number"}
  for _, parameter in ipairs(parameters) do
    local key = type(parameter) == "table" and parameter[1] or parameter
    if key ~= "lr_lambda" then kinds[key] = key == "milestones" and "table" or "number" end
  end
  local declared = {"optimizer", table.unpack(parameters)}
  declared[#declared + 1] = {"last_epoch", -1}
  local read = arguments(name, declared, kinds)
  local Schedule = class(name, LRScheduler)
  function Schedule:init(...)
    local given = read(...)
    if positive then check_positive(name, positive, given[positive]) end
    for key, value in pairs(given) do self[key] = value end
    LRScheduler.init(self, given.optimizer, given.last_epoch)
  end
  Schedule.rate = rate
  schedules[name] = Schedule
end

--- Times gamma every step_size steps.
schedule("StepLR", {"step_size", {"gamma", 0.1}}, function(self, _, _, now)
  local step = self.last_epoch
  return (step == 0 or step % self.step_size ~= 0) and now or now * self.gamma
end, "step_size")

--- Times gamma at each of a list of steps.
schedule("MultiStepLR", {"milestones", {"gamma", 0.1}}, function(self, _, _, now)
  for _, milestone in ipairs(self.milestones) do
    if milestone == self.last_epoch then now = now * self.gamma end
  end
  return now
end)

--- Times gamma every step.
schedule("ExponentialLR", {"gamma"}, function(self, _, _, now)
  return self.last_epoch == 0 and now or now * self.gamma
end)

--- Times a factor for the first total_iters steps.
schedule("ConstantLR", {{"factor", 1 / 3}, {"total_iters", 5}}, function(self, _, _, now)
  if self.last_epoch == 0 then return now * self.factor end
  return self.last_epoch == self.total_iters and now / self.factor or now
end)

--- A factor that changes evenly from start_factor to end_factor. Each rate follows from the one
--- before, so that another plan may change it too.
schedule("LinearLR", {{"start_factor", 1 / 3}, {"end_factor", 1}, {"total_iters", 5}},
  function(self, _, _, now)
    local step, total, first, last = self.last_epoch, self.total_iters, self.start_factor,
      self.end_factor
    if first <= 0 or first > 1 then
      raise("LinearLR: start_factor must be above 0 and at most 1, got %g", first)
    end
    if step == 0 then return now * first end
    if step > total then return now end
    return now * (total * first + (last - first) * step) / (total * first + (last - first) * (step - 1))
  end)

--- (1 - step / total_iters) to a power, down to 0. Each rate follows from the one before, so that
--- another plan may change it too.
schedule("PolynomialLR", {{"total_iters", 5}, {"power", 1}}, function(self, _, _, now)
  local left = self.total_iters - self.last_epoch
  if self.last_epoch == 0 or left < 0 then return now end
  return now * (left / (left + 1)) ^ self.power
end)

--- Half a cosine from the rate down to eta_min over T_max steps, then up again. Each rate follows
--- from the one before, so that another plan may change it too.
schedule("CosineAnnealingLR", {"T_max", {"eta_min", 0}}, function(self, _, base, now)
  local step, period, least = self.last_epoch, self.T_max, self.eta_min
  if step == 0 then return now end
  if (step - 1 - period) % (2 * period) == 0 then
    return now + (base - least) * (1 - math.cos(math.pi / period)) / 2
  end
  return (1 + math.cos(math.pi * step / period)) / (1 + math.cos(math.pi * (step - 1) / period))
    * (now - least) + least
end, "T_max")

--- What a function says for group `i`: one for all, or a list of them.
local function of_function(self, i)
  local fn = type(self.lr_lambda) == "table" and self.lr_lambda[i] or self.lr_lambda
  if type(fn) ~= "function" then
    raise("%s: no function for group %d", getmetatable(self).name, i)
  end
  local factor = fn(self.last_epoch)
  if type(factor) ~= "number" then
    raise("%s: lr_lambda: expected a function that returns a number, got %s from it", getmetatable(self).name,
      kind_of(factor))
  end
  return factor
end

--- The first rate times lr_lambda(step).
schedule("LambdaLR", {"lr_lambda"}, function(self, i, base) return base * of_function(self, i) end)

--- The rate before times lr_lambda(step).
schedule("MultiplicativeLR", {"lr_lambda"}, function(self, i, _, now)
  return self.last_epoch == 0 and now or now * of_function(self, i)
end)

return schedules
