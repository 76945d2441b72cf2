-- Learning rate schedulers given by a formula: StepLR, CosineAnnealingLR and others.
local define = require "tide.internal.declare.define"
local is_callable = require "tide.internal.is_callable"
local kind_of = require "tide.internal.kind_of"
local LRScheduler = require "tide.nn.optim.scheduler"
local raise = require "tide.internal.raise"

local schedules = {}

--- Makes the scheduler class declared as `name`, with its formula `rate(self, group, base, now)`. Its arguments become
--- fields.
local function schedule(name, rate)
  local Schedule, read = define(name, LRScheduler)
  function Schedule:init(...)
    local given = read(...)
    for key, value in pairs(given) do self[key] = value end
    LRScheduler.init(self, given.optimizer, given.last_epoch)
  end
  Schedule.rate = rate
  schedules[Schedule.name] = Schedule
end

--- Multiplies the learning rate by gamma every step_size steps.
---@use optim: optimizer
---@param step_size number > 0  number of steps between changes
---@use optim: gamma = 0.1, last_epoch = -1
---@formula lr = lr_0 gamma^(t // step_size)
---@see lr_scheduler.MultiStepLR lr_scheduler.ExponentialLR
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local scheduler = optim.lr_scheduler.StepLR(sgd, 2)
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 1
schedule("optim.lr_scheduler.StepLR", function(self, _, _, now)
  local step = self.last_epoch
  return (step == 0 or step % self.step_size ~= 0) and now or now * self.gamma
end)

--- Multiplies the learning rate by gamma at each milestone.
---@use optim: optimizer, milestones, gamma = 0.1, last_epoch = -1
---@formula lr = lr_0 gamma^(number of milestones up to t)
---@see lr_scheduler.StepLR
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local scheduler = optim.lr_scheduler.MultiStepLR(sgd, {2, 4})
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 1
schedule("optim.lr_scheduler.MultiStepLR", function(self, _, _, now)
  for _, milestone in ipairs(self.milestones) do
    if milestone == self.last_epoch then now = now * self.gamma end
  end
  return now
end)

--- Multiplies the learning rate by gamma every step.
---@use optim: optimizer, gamma, last_epoch = -1
---@formula lr = lr_0 gamma^t
---@see lr_scheduler.StepLR
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local scheduler = optim.lr_scheduler.ExponentialLR(sgd, 0.9)
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.9
schedule("optim.lr_scheduler.ExponentialLR", function(self, _, _, now)
  return self.last_epoch == 0 and now or now * self.gamma
end)

--- Multiplies the learning rate by a factor for the first total_iters steps.
---@use optim: optimizer, factor = 1 / 3, total_iters = 5, last_epoch = -1
---@formula lr = lr_0 factor until t = total_iters, then lr_0
---@see lr_scheduler.LinearLR
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local scheduler = optim.lr_scheduler.ConstantLR(sgd, {total_iters = 2})
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.3333
schedule("optim.lr_scheduler.ConstantLR", function(self, _, _, now)
  if self.last_epoch == 0 then return now * self.factor end
  return self.last_epoch == self.total_iters and now / self.factor or now
end)

--- Multiplies the learning rate by a factor that changes linearly.
---@use optim: optimizer
---@param start_factor number in (0, 1] = 1 / 3  initial factor
---@param end_factor number = 1  final factor
---@use optim: total_iters = 5, last_epoch = -1
---@formula lr = lr_0 (start_factor + (end_factor - start_factor) min(t / total_iters, 1)), computed from the previous
---  rate, so that it can be combined with other schedulers
---@see lr_scheduler.ConstantLR lr_scheduler.PolynomialLR
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local scheduler = optim.lr_scheduler.LinearLR(sgd, {total_iters = 4})
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.5
schedule("optim.lr_scheduler.LinearLR", function(self, _, _, now)
  local step, total, first, last = self.last_epoch, self.total_iters, self.start_factor, self.end_factor
  if step == 0 then return now * first end
  if step > total then return now end
  return now * (total * first + (last - first) * step) / (total * first + (last - first) * (step - 1))
end)

--- Polynomial decay to 0.
---@use optim: optimizer
---@param total_iters number = 5  number of steps until the learning rate is 0
---@param power number = 1  exponent of the polynomial
---@use optim: last_epoch = -1
---@formula lr = lr_0 (1 - min(t / total_iters, 1))^power
---@see lr_scheduler.LinearLR
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local scheduler = optim.lr_scheduler.PolynomialLR(sgd, {total_iters = 4})
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.75
schedule("optim.lr_scheduler.PolynomialLR", function(self, _, _, now)
  local left = self.total_iters - self.last_epoch
  if self.last_epoch == 0 or left < 0 then return now end
  return now * (left / (left + 1)) ^ self.power
end)

--- Cosine annealing to eta_min, then up again.
---@use optim: optimizer
---@param T_max number > 0  number of steps to reach eta_min
---@use optim: eta_min = 0, last_epoch = -1
---@formula lr = eta_min + (lr_0 - eta_min) (1 + cos(pi t / T_max)) / 2
---@see lr_scheduler.CosineAnnealingWarmRestarts lr_scheduler.OneCycleLR
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local scheduler = optim.lr_scheduler.CosineAnnealingLR(sgd, 4)
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.8536
schedule("optim.lr_scheduler.CosineAnnealingLR", function(self, _, base, now)
  local step, period, least = self.last_epoch, self.T_max, self.eta_min
  if step == 0 then return now end
  if (step - 1 - period) % (2 * period) == 0 then
    return now + (base - least) * (1 - math.cos(math.pi / period)) / 2
  end
  return (1 + math.cos(math.pi * step / period)) / (1 + math.cos(math.pi * (step - 1) / period))
    * (now - least) + least
end)

--- The factor of group `i` by lr_lambda: one function for all groups, or a list of them.
local function of_function(self, i)
  local fn = self.lr_lambda
  if not is_callable(fn) then fn = fn[i] end
  if not is_callable(fn) then
    raise("%s: no function for group %d", getmetatable(self).name, i)
  end
  local factor = fn(self.last_epoch)
  if type(factor) ~= "number" then
    raise("%s: lr_lambda: expected a function that returns a number, got %s from it", getmetatable(self).name,
      kind_of(factor))
  end
  return factor
end

--- Sets the learning rate to the initial one times lr_lambda(step).
---@use optim: optimizer, lr_lambda, last_epoch = -1
---@formula lr = lr_0 lr_lambda(t)
---@see lr_scheduler.MultiplicativeLR
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local scheduler = optim.lr_scheduler.LambdaLR(sgd, function(step) return 1 / (1 + step) end)
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.5
schedule("optim.lr_scheduler.LambdaLR", function(self, i, base) return base * of_function(self, i) end)

--- Multiplies the current learning rate by lr_lambda(step).
---@use optim: optimizer, lr_lambda, last_epoch = -1
---@formula lr = lr lr_lambda(t)
---@see lr_scheduler.LambdaLR
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local scheduler = optim.lr_scheduler.MultiplicativeLR(sgd, function(step) return 0.5 end)
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.5
schedule("optim.lr_scheduler.MultiplicativeLR", function(self, i, _, now)
  return self.last_epoch == 0 and now or now * of_function(self, i)
end)

return schedules
