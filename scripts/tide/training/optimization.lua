-- The result of configure_optimizers, and the step from a loss: precision, accumulation, clipping,
-- learning rates.
local class = require "tide.internal.class"
local clip = require "tide.nn.utils.clip"
local GradScaler = require "tide.amp.grad_scaler"
local LBFGS = require "tide.nn.optim.lbfgs"
local nearest = require "tide.internal.nearest"
local of_type = require "tide.internal.declare.of_type"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local ReduceLROnPlateau = require "tide.nn.optim.reduce_lr_on_plateau"
local tide = require "tide"

-- Fields: trainer; optimizer; schedules (a list of {scheduler, interval, frequency, monitor,
-- name}); scaler, of "16-mixed"; module; pending (backward passes since the last step).
local Optimization = class "Optimization"

local method = protocol.method

-- Reading -----------------------------------------------------------------------------------------

local kKnown <const> = {
  scheduler = true, interval = true, frequency = true, monitor = true, name = true, strict = true,
}

local function is_optimizer(value)
  return method(value, "step") and type(value.param_groups) == "table"
end

local function is_scheduler(value) return method(value, "step") and not is_optimizer(value) end

--- Reads one schedule from configure_optimizers: a scheduler, or a table with one.
local function read_schedule(caller, given)
  local schedule = is_scheduler(given) and {scheduler = given} or given
  if type(schedule) ~= "table" or not is_scheduler(schedule.scheduler) then
    raise("%s: expected a scheduler, or {scheduler =, interval =, monitor =}, got %s", caller,
      protocol.kind_of(given))
  end
  for key in pairs(schedule) do
    if not kKnown[key] then
      local near = nearest(tostring(key), kKnown)
      raise("%s: schedule: unknown option '%s'%s: known are frequency, " ..
        "interval, monitor, name, scheduler, strict",
        caller, tostring(key), near and ("; did you mean '%s'?"):format(near) or "")
    end
  end
  local read = {
    scheduler = schedule.scheduler, interval = schedule.interval or "epoch",
    monitor = schedule.monitor,
    frequency = of_type(caller, "frequency", schedule.frequency or 1, "integer > 0"),
    strict = schedule.strict ~= false, name = schedule.name,
    on_plateau = class.is_a(schedule.scheduler, ReduceLROnPlateau),
  }
  if read.interval ~= "epoch" and read.interval ~= "step" then
    raise("%s: interval must be epoch or step, got %s", caller, tostring(read.interval))
  end
  if read.on_plateau and not read.monitor then
    raise("%s: ReduceLROnPlateau needs the name of the value to monitor: " ..
      '{scheduler = scheduler, monitor = "val_loss"}',
      caller)
  end
  return read
end

--- The optimizer and the list of schedules from what configure_optimizers returned: an optimizer; an
--- optimizer and a scheduler; {optimizer =, lr_scheduler =}; lists of both.
local function read_configuration(caller, first, second)
  local optimizer, schedule = first, second
  if type(first) == "table" and not getmetatable(first) then
    if first.optimizer then
      optimizer, schedule = first.optimizer, first.lr_scheduler
    elseif #first == 1 then
      optimizer = first[1]
    elseif #first > 1 then
      raise("%s: expected one optimizer, got a list of %d", caller, #first)
    end
  end
  if not is_optimizer(optimizer) then
    raise("%s: expected an optimizer such as tide.optim.Adam(net:parameters()), got %s", caller,
      protocol.kind_of(optimizer))
  end
  if schedule == nil then return optimizer, {} end
  if not protocol.is_list(schedule) then schedule = {schedule} end
  local schedules = {}
  for i, given in ipairs(schedule) do schedules[i] = read_schedule(caller, given) end
  return optimizer, schedules
end

--- Raises an error if the optimizer has no parameter of the module.
local function check_parameters(caller, optimizer, module)
  local own = {}
  for _, parameter in module:named_parameters() do own[parameter] = true end
  for _, group in ipairs(optimizer.param_groups) do
    for _, parameter in ipairs(group.params) do
      if own[parameter] then return end
    end
  end
  raise("%s: none of the optimizer's parameters belongs to the model", caller)
end

--- Optimization(trainer, module, caller, optimizer, schedules...): the optimizer and the schedules as
--- returned by configure_optimizers.
function Optimization:init(trainer, module, caller, ...)
  self.trainer, self.module, self.pending = trainer, module, 0
  self.optimizer, self.schedules = read_configuration(caller, ...)
  check_parameters(caller, self.optimizer, module)
  self.uses_closure = class.is_a(self.optimizer, LBFGS)
  self.scaler = trainer.options.precision == "16-mixed" and GradScaler() or nil
  if self.uses_closure and (self.scaler or trainer.options.accumulate_grad_batches ~= 1) then
    raise("%s: LBFGS evaluates the loss several times per step, which supports neither 16-mixed " ..
      "nor accumulated gradients", caller)
  end
end

-- Steps -------------------------------------------------------------------------------------------

local kTypes <const> = {["16-mixed"] = "float16", ["bf16-mixed"] = "bfloat16"}

--- Calls fn(...) with the precision of the trainer.
function Optimization.with_precision(precision, fn, ...)
  local half = kTypes[precision]
  if not half then return fn(...) end
  return tide.autocast({dtype = half}, fn, ...)
end

function Optimization:clip_gradients()
  local options = self.trainer.options
  if not options.gradient_clip_val then return end
  local parameters = {}
  for _, group in ipairs(self.optimizer.param_groups) do
    table.move(group.params, 1, #group.params, #parameters + 1, parameters)
  end
  if options.gradient_clip_algorithm == "value" then
    clip.clip_grad_value_(parameters, options.gradient_clip_val)
  else
    clip.clip_grad_norm_(parameters, options.gradient_clip_val)
  end
end

local function zero_grad(self)
  self.trainer.call("on_before_zero_grad", self.optimizer)
  self.optimizer:zero_grad()
end

--- Computes the loss by compute(), and its gradients.
function Optimization:backward(compute)
  local trainer, scaler = self.trainer, self.scaler
  if self.pending == 0 then zero_grad(self) end
  local loss, outputs = Optimization.with_precision(trainer.options.precision, compute)
  local scaled = trainer.accumulate_grad_batches > 1 and loss / trainer.accumulate_grad_batches
    or loss
  trainer.call("on_before_backward", scaled)
  if scaler then scaled = scaler:scale(scaled) end
  scaled:backward()
  self.pending = self.pending + 1
  trainer.call "on_after_backward"
  return loss, outputs
end

--- Takes a step with the accumulated gradients.
function Optimization:step()
  local optimizer, scaler, trainer = self.optimizer, self.scaler, self.trainer
  if scaler and trainer.options.gradient_clip_val then scaler:unscale_(optimizer) end
  trainer.call("on_before_optimizer_step", optimizer)
  self:clip_gradients()
  if scaler then
    scaler:step(optimizer)
    scaler:update()
  else
    optimizer:step()
  end
  self.pending = 0
end

--- Runs a batch: computes its loss, and steps if enough batches were accumulated or this is the last.
--- Returns the loss, the outputs, and whether it stepped.
function Optimization:run(compute, last)
  if self.uses_closure then
    local loss, outputs
    self.optimizer:step(function()
      self.pending = 0
      loss, outputs = self:backward(compute)
      return loss
    end)
    self.pending = 0
    return loss, outputs, true
  end
  local loss, outputs = self:backward(compute)
  local steps = last or self.pending >= self.trainer.accumulate_grad_batches
  if steps then self:step() end
  return loss, outputs, steps
end

-- Learning rates ----------------------------------------------------------------------------------

--- The sorted names of a table, for messages.
local function names_of(values)
  local names = {}
  for name in pairs(values) do names[#names + 1] = name end
  table.sort(names)
  return #names > 0 and table.concat(names, ", ") or "none"
end

--- The monitored value as a number. If there is none, raises an error that lists the logged names.
function Optimization.monitored(who, name, values)
  local value = values[name]
  if value == nil then
    raise("%s: monitor: no value '%s' was logged; logged values: %s", who, tostring(name),
      names_of(values))
  end
  return tide.is_tensor(value) and value:item() or value
end

--- Advances the schedules of an interval; `count` is the number of elapsed intervals.
function Optimization:advance_schedules(interval, count)
  for _, schedule in ipairs(self.schedules) do
    if schedule.interval == interval and count % schedule.frequency == 0 then
      if not schedule.on_plateau then
        schedule.scheduler:step()
      elseif self.trainer.callback_metrics[schedule.monitor] ~= nil or schedule.strict then
        schedule.scheduler:step(
          Optimization.monitored("ReduceLROnPlateau", schedule.monitor,
            self.trainer.callback_metrics))
      end
    end
  end
end

--- The list of schedulers.
function Optimization:schedulers()
  local list = {}
  for i, schedule in ipairs(self.schedules) do list[i] = schedule.scheduler end
  return list
end

-- State -------------------------------------------------------------------------------------------

function Optimization:state_dict()
  local schedulers = {}
  for i, schedule in ipairs(self.schedules) do schedulers[i] = schedule.scheduler:state_dict() end
  return {
    optimizer = self.optimizer:state_dict(), schedulers = schedulers,
    scaler = self.scaler and self.scaler:state_dict(),
  }
end

function Optimization:load_state_dict(state)
  if #state.schedulers ~= #self.schedules then
    raise("fit: the checkpoint has %d schedulers, configure_optimizers returned %d", #state.schedulers,
      #self.schedules)
  end
  if (state.scaler ~= nil) ~= (self.scaler ~= nil) then
    raise("fit: the checkpoint %s precision 16-mixed, the trainer %s",
      state.scaler and "uses" or "does not use",
      self.scaler and "does" or "does not")
  end
  self.optimizer:load_state_dict(state.optimizer)
  for i, schedule in ipairs(self.schedules) do
    schedule.scheduler:load_state_dict(state.schedulers[i])
  end
  if self.scaler then self.scaler:load_state_dict(state.scaler) end
end

return Optimization
