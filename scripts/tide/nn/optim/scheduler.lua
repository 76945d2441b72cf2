-- optim.lr_scheduler.LRScheduler, the base class of learning rate schedulers: counts steps and sets the learning rate
-- of each parameter group.
local define = require "tide.internal.declare.define"
local kind_of = require "tide.internal.kind_of"
local known_fields = require "tide.internal.known_fields"
local native = require "tide.native"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"

--- The base class of schedulers: define rate(i, base, now); call step() after optimizer:step().
---@param optimizer optimizer  optimizer whose learning rates are set
---@param last_epoch? integer >= -1 = -1  index of the last step; -1 starts from the beginning
---@example
--- local Half = tide.class("Half", optim.lr_scheduler.LRScheduler)
--- function Half:rate(i, base, now) return base / 2 end
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1})
--- Half(sgd)
--- sgd.param_groups[1].lr --> 0.5
local LRScheduler = define("optim.lr_scheduler.LRScheduler")

known_fields.watch(LRScheduler, {})

--- With `last_epoch` (the number of completed steps) other than -1 it continues from another scheduler of this
--- optimizer. Sets the first learning rate.
function LRScheduler:init(optimizer, last_epoch)
  local name = getmetatable(self).name
  if type(optimizer) ~= "table" or not optimizer.param_groups then
    raise("%s: expected an optimizer, got %s", name, kind_of(optimizer))
  end
  self.optimizer, self.last_epoch = optimizer, of_type(name, "last_epoch", last_epoch or -1, "integer")
  self.base_lrs = {}
  for i, group in ipairs(optimizer.param_groups) do
    if self.last_epoch == -1 then
      self:begin(i, group)
    elseif not group.initial_lr then
      raise("%s: group %d has no initial_lr to continue from", name, i)
    end
    self.base_lrs[i] = group.initial_lr
  end
  self:step()
end

--- Initializes group `i`: records its initial learning rate, unless an earlier scheduler did.
function LRScheduler:begin(i, group)
  group.initial_lr = group.initial_lr or group.lr
  self.base_lrs[i] = group.initial_lr
end

--- The learning rate of group `i` after self.last_epoch steps, from the initial one `base` and the current one `lr`.
--- Every scheduler defines this.
function LRScheduler:rate() raise("%s: has no rate method", getmetatable(self).name) end

--- Advances by one step and sets the learning rates: call it after optimizer:step().
function LRScheduler:step()
  self.last_epoch = self.last_epoch + 1
  self._last_lr = {}
  for i, group in ipairs(self.optimizer.param_groups) do
    if not self.base_lrs[i] then self:begin(i, group) end -- it was added after the scheduler was created
    group.lr = self:rate(i, self.base_lrs[i], group.lr)
    self._last_lr[i] = group.lr
  end
end

--- Sets the learning rates and momenta of the last step again.
function LRScheduler:restore()
  for i, group in ipairs(self.optimizer.param_groups) do
    group.lr = self._last_lr[i] or group.lr
    if self.cycle_momentum and self.last_epoch >= 0 then self:rate(i) end
  end
end

--- Decrements the step count, for a scheduler that runs the step itself.
function LRScheduler:step_back() self.last_epoch = self.last_epoch - 1 end

--- Restarts with the next step.
function LRScheduler:start_over() self.last_epoch = -1 end

--- The learning rates set by the last step, one for each group.
function LRScheduler:get_last_lr()
  return table.move(self._last_lr, 1, #self._last_lr, 1, setmetatable({}, native.list))
end

-- Whether a field is part of the state, unlike other objects, functions and lists of functions.
local function is_state(value)
  if type(value) ~= "table" then return type(value) ~= "function" end
  return not getmetatable(value) and type(value[1]) ~= "function"
end

--- The state needed to continue later.
function LRScheduler:state_dict()
  local state = setmetatable({}, native.list)
  for key, value in pairs(self) do
    if is_state(value) then state[key] = value end
  end
  return state
end

--- Loads a result of state_dict, and sets the learning rates, so that the optimizer's state may be loaded before or
--- after.
function LRScheduler:load_state_dict(state)
  if type(state) ~= "table" then raise("load_state_dict: expected a result of state_dict, got %s", kind_of(state)) end
  for key, value in pairs(state) do self[key] = value end
  self:restore()
end

return LRScheduler
