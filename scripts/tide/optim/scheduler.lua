-- optim.lr_scheduler.LRScheduler, the base of all plans for the learning rate: counts steps and
-- sets the rate of every group of the optimizer.
local define = require "tide.internal.declare.define"
local kind_of = require "tide.internal.kind_of"
local known_fields = require "tide.internal.known_fields"
local native = require "tide.native"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"

--- The base of all plans: define rate(i, base, now); step() after optimizer:step().
---@param optimizer optimizer  its learning rates are set
---@param last_epoch? integer >= -1 = -1  the last step that was taken; -1 begins anew
---@example
--- local Half = tide.class("Half", optim.lr_scheduler.LRScheduler)
--- function Half:rate(i, base, now) return base / 2 end
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1})
--- Half(sgd)
--- sgd.param_groups[1].lr --> 0.5
local LRScheduler = define("optim.lr_scheduler.LRScheduler")

known_fields.watch(LRScheduler, {})

--- Attaches to `optimizer`; with `last_epoch` (the number of steps done) other than -1 it goes on
--- where another scheduler of this optimizer stopped. Sets the first rate.
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
      raise("%s: group %d has no initial_lr to go on from", name, i)
    end
    self.base_lrs[i] = group.initial_lr
  end
  self:step()
end

--- Takes on group `i`, whose rate is the first one unless another plan, attached before, has changed it.
function LRScheduler:begin(i, group)
  group.initial_lr = group.initial_lr or group.lr
  self.base_lrs[i] = group.initial_lr
end

--- The rate of group `i`, whose rate at the start was `base` and now is `lr`, after
--- self.last_epoch steps. Every plan defines this.
function LRScheduler:rate() raise("%s: has no rate method", getmetatable(self).name) end

--- Goes on by one step and sets the rates: call it after optimizer:step().
function LRScheduler:step()
  self.last_epoch = self.last_epoch + 1
  self._last_lr = {}
  for i, group in ipairs(self.optimizer.param_groups) do
    if not self.base_lrs[i] then self:begin(i, group) end -- it was added after the plan was made
    group.lr = self:rate(i, self.base_lrs[i], group.lr)
    self._last_lr[i] = group.lr
  end
end

--- Sets the rates of the last step again, and the momenta that go with them.
function LRScheduler:restore()
  for i, group in ipairs(self.optimizer.param_groups) do
    group.lr = self._last_lr[i] or group.lr
    if self.cycle_momentum and self.last_epoch >= 0 then self:rate(i) end
  end
end

--- Takes one step back in the count, for a plan that makes the step itself.
function LRScheduler:step_back() self.last_epoch = self.last_epoch - 1 end

--- Begins anew with the next step.
function LRScheduler:start_over() self.last_epoch = -1 end

--- The rates that the last step set, one for each group.
function LRScheduler:get_last_lr()
  return table.move(self._last_lr, 1, #self._last_lr, 1, setmetatable({}, native.list))
end

-- What is not part of the state: other objects, functions and lists of them.
local function is_state(value)
  if type(value) ~= "table" then return type(value) ~= "function" end
  return not getmetatable(value) and type(value[1]) ~= "function"
end

--- All that is needed to go on later.
function LRScheduler:state_dict()
  local state = setmetatable({}, native.list)
  for key, value in pairs(self) do
    if is_state(value) then state[key] = value end
  end
  return state
end

--- Takes over what state_dict gave, and sets the rates: whether the optimizer's state was loaded before this plan was
--- made, which then began with that rate, or is loaded later makes no difference.
function LRScheduler:load_state_dict(state)
  if type(state) ~= "table" then raise("load_state_dict: expected what state_dict gave, got %s", kind_of(state)) end
  for key, value in pairs(state) do self[key] = value end
  self:restore()
end

return LRScheduler
