-- amp.GradScaler: scales losses up, so that small gradients do not underflow in float16, and skips steps whose
-- gradients overflowed.
local define = require "tide.internal.declare.define"
local known_fields = require "tide.internal.known_fields"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Scales losses up for float16 training, and skips steps whose gradients overflowed.
---@param init_scale number = 65536.0  initial scale of the loss
---@param growth_factor number = 2.0  factor of the scale after growth_interval finite steps
---@param backoff_factor number = 0.5  factor of the scale after a step with inf or nan
---@param growth_interval integer >= 0 = 2000  consecutive finite steps until the scale grows
---@param enabled boolean = true  false disables scaling
---@waits step checks whether gradients are finite
---@see amp.autocast optimizer:step
---@example
--- tide.amp.GradScaler({init_scale = 4}):scale(tide.tensor(2.0)) --> 8.0
local GradScaler, read = define("amp.GradScaler")

known_fields.watch(GradScaler, {})

--- amp.GradScaler({init_scale = 65536, growth_interval = 2000})
function GradScaler:init(...)
  local first = ...
  if type(first) == "string" then raise("GradScaler: takes no device, got %q: write GradScaler()", first) end
  local given = read(...)
  if given.growth_factor <= 1 or given.backoff_factor >= 1 then
    raise("GradScaler: growth_factor must be above 1 and backoff_factor below 1")
  end
  for key, value in pairs(given) do self[key] = value end
  self._scale, self._growth_tracker = given.init_scale, 0
  -- Since the last update: whether the gradients of an optimizer are finite, and which optimizers stepped.
  self.unscaled, self.stepped, self.overflow = {}, {}, false
end

function GradScaler:get_scale() return self.enabled and self._scale or 1.0 end

function GradScaler:is_enabled() return self.enabled end

--- A loss (or a list of them) times the scale: call backward on what this returns.
function GradScaler:scale(outputs)
  if not self.enabled then return outputs end
  if tide.is_tensor(outputs) then return outputs * self._scale end
  local scaled = {}
  for i, output in ipairs(outputs) do scaled[i] = output * self._scale end
  return scaled
end

--- Divides the optimizer's gradients by the scale, in place, for example before they are clipped,
--- and checks whether all are finite, which waits.
function GradScaler:unscale_(optimizer)
  if not self.enabled then return end
  if self.stepped[optimizer] then
    raise("unscale_: was called after step: call it before step, once between updates")
  end
  if self.unscaled[optimizer] ~= nil then
    raise("unscale_: was already called since the last update")
  end
  local _ <close> = tide.no_grad()
  local checks = {}
  for _, group in ipairs(optimizer.param_groups) do
    for _, parameter in ipairs(group.params) do
      local grad = parameter.grad
      if grad then
        grad:mul_(1 / self._scale)
        checks[#checks + 1] = grad:isfinite():all():cpu()
      end
    end
  end
  local finite = #checks == 0 or tide.stack(checks):all():item()
  self.unscaled[optimizer] = finite
  self.overflow = self.overflow or not finite
end

--- optimizer:step(), unless a gradient is infinite or nan; once between updates.
function GradScaler:step(optimizer, ...)
  if not self.enabled then return optimizer:step(...) end
  if self.stepped[optimizer] then
    raise("step: was already called since the last update: call update after each step")
  end
  if self.unscaled[optimizer] == nil then self:unscale_(optimizer) end
  self.stepped[optimizer] = true
  if self.unscaled[optimizer] then return optimizer:step(...) end
end

--- Call it at the end of each step: lowers the scale after an overflow, raises it after
--- growth_interval steps without one.
function GradScaler:update(new_scale)
  if not self.enabled then return end
  if new_scale then
    self._scale = tide.is_tensor(new_scale) and new_scale:item() or new_scale
  elseif self.overflow then
    self._scale, self._growth_tracker = self._scale * self.backoff_factor, 0
  else
    self._growth_tracker = self._growth_tracker + 1
    if self._growth_tracker == self.growth_interval then
      self._scale, self._growth_tracker = self._scale * self.growth_factor, 0
    end
  end
  self.unscaled, self.stepped, self.overflow = {}, {}, false
end

function GradScaler:state_dict()
  return {
    scale = self._scale, growth_factor = self.growth_factor, backoff_factor = self.backoff_factor,
    growth_interval = self.growth_interval, _growth_tracker = self._growth_tracker,
  }
end

function GradScaler:load_state_dict(state)
  self._scale, self._growth_tracker = state.scale, state._growth_tracker
  for _, key in ipairs {"growth_factor", "backoff_factor", "growth_interval"} do
    self[key] = state[key]
  end
end

return GradScaler
