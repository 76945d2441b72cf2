-- optim.lr_scheduler.ReduceLROnPlateau: lowers the rate when a figure has stopped getting better.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local kind_of = require "tide.internal.kind_of"
local known_fields = require "tide.internal.known_fields"
local native = require "tide.native"
local of_group = require "tide.optim.internal.of_group"
local raise = require "tide.internal.raise"
local rates_of = require "tide.optim.internal.rates_of"
local tide = require "tide"

local ReduceLROnPlateau = class("ReduceLROnPlateau")

known_fields.watch(ReduceLROnPlateau, {})

local read = arguments("ReduceLROnPlateau", {
  "optimizer", {"mode", "min"}, {"factor", 0.1}, {"patience", 10}, {"threshold", 1e-4},
  {"threshold_mode", "rel"}, {"cooldown", 0}, {"min_lr", 0}, {"eps", 1e-8},
}, {
  mode = "string", factor = "number", patience = "count", threshold = "number", threshold_mode = "string",
  cooldown = "count", eps = "number",
})

--- ReduceLROnPlateau(optimizer, {mode = "min", factor = 0.1, patience = 10})
function ReduceLROnPlateau:init(...)
  local given = read(...)
  if given.mode ~= "min" and given.mode ~= "max" then
    raise("ReduceLROnPlateau: mode must be min or max, got %s", tostring(given.mode))
  end
  if given.threshold_mode ~= "rel" and given.threshold_mode ~= "abs" then
    raise("ReduceLROnPlateau: threshold_mode must be rel or abs, got %s", tostring(given.threshold_mode))
  end
  if given.factor >= 1 then
    raise("ReduceLROnPlateau: factor must be below 1, got %g", given.factor)
  end
  for key, value in pairs(given) do self[key] = value end
  self.best = given.mode == "min" and math.huge or -math.huge
  self.num_bad_epochs, self.cooldown_counter, self.last_epoch = 0, 0, 0
end

function ReduceLROnPlateau:is_better(figure)
  local sign = self.mode == "min" and -1 or 1
  local margin = self.threshold_mode == "rel" and self.best * (1 + sign * self.threshold)
    or self.best + sign * self.threshold
  return sign * figure > sign * margin
end

--- Takes the figure of this epoch: a number, or a tensor, which is read and so waited for.
function ReduceLROnPlateau:step(figure)
  if tide.is_tensor(figure) then figure = figure:item() end
  if type(figure) ~= "number" then
    raise("ReduceLROnPlateau: step takes the figure to watch, got %s", kind_of(figure))
  end
  self.last_epoch = self.last_epoch + 1
  if self:is_better(figure) then
    self.best, self.num_bad_epochs = figure, 0
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
