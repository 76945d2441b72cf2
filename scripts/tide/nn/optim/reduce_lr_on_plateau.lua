-- optim.lr_scheduler.ReduceLROnPlateau: lowers the learning rate when a metric stops improving.
local define = require "tide.internal.declare.define"
local kind_of = require "tide.internal.kind_of"
local known_fields = require "tide.internal.known_fields"
local native = require "tide.native"
local of_group = require "tide.nn.optim.internal.of_group"
local raise = require "tide.internal.raise"
local rates_of = require "tide.nn.optim.internal.rates_of"
local tide = require "tide"

--- Lowers the learning rate when the metric passed to step(metric) stops improving.
---@use optim: optimizer
---@param mode "min" | "max" = "min"  whether a smaller or a larger metric is better
---@param factor number < 1 = 0.1  factor of the learning rate
---@param patience number >= 0 = 10  epochs without improvement before lr is reduced
---@param threshold number = 0.0001  minimum improvement
---@param threshold_mode "rel" | "abs" = "rel"  relative or absolute threshold
---@param cooldown integer >= 0 = 0  epochs to wait after lr was reduced
---@param min_lr number | number[] = 0  lowest learning rate
---@param eps number >= 0 = 1e-8  smaller changes of lr are ignored
---@formula lr = lr factor after more than patience steps without improvement
---@waits step(metric) reads a metric that is a tensor
---@see lr_scheduler.StepLR training.EarlyStopping
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1})
--- local scheduler = optim.lr_scheduler.ReduceLROnPlateau(sgd, {patience = 0})
--- scheduler:step(5)
--- scheduler:step(6)
--- sgd.param_groups[1].lr --> 0.1
local ReduceLROnPlateau, read = define("optim.lr_scheduler.ReduceLROnPlateau")

known_fields.watch(ReduceLROnPlateau, {})

function ReduceLROnPlateau:init(...)
  local given = read(...)
  for key, value in pairs(given) do self[key] = value end
  self.best = given.mode == "min" and math.huge or -math.huge
  self.num_bad_epochs, self.cooldown_counter, self.last_epoch = 0, 0, 0
end

function ReduceLROnPlateau:is_better(metric)
  local sign = self.mode == "min" and -1 or 1
  local margin = self.threshold_mode == "rel" and self.best * (1 + sign * self.threshold)
    or self.best + sign * self.threshold
  return sign * metric > sign * margin
end

--- Updates with the metric of this epoch: a number, or a tensor, for which it waits.
function ReduceLROnPlateau:step(metric)
  if tide.is_tensor(metric) then metric = metric:item() end
  if type(metric) ~= "number" then
    raise("ReduceLROnPlateau: step expects the metric, a number, got %s", kind_of(metric))
  end
  self.last_epoch = self.last_epoch + 1
  if self:is_better(metric) then
    self.best, self.num_bad_epochs = metric, 0
  else
    self.num_bad_epochs = self.num_bad_epochs + 1
  end
  if self.cooldown_counter > 0 then
    self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
  end
  if self.num_bad_epochs > self.patience then
    self:reduce()
    self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
  end
end

function ReduceLROnPlateau:reduce()
  for i, group in ipairs(self.optimizer.param_groups) do
    local lower = math.max(group.lr * self.factor, of_group(self, "min_lr", i))
    if group.lr - lower > self.eps then group.lr = lower end
  end
end

function ReduceLROnPlateau:get_last_lr() return rates_of(self.optimizer) end

function ReduceLROnPlateau:state_dict()
  local state = setmetatable({}, native.list)
  for key, value in pairs(self) do
    if key ~= "optimizer" then state[key] = value end
  end
  return state
end

function ReduceLROnPlateau:load_state_dict(state)
  for key, value in pairs(state) do self[key] = value end
end

return ReduceLROnPlateau
