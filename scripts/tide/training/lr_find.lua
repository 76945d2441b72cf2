-- training.lr_find: tries learning rates from small to large and suggests one (Smith, 2017).
local class = require "tide.internal.class"
local protocol = require "tide.data.protocol"
local reader = require "tide.internal.declare.reader"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local tide = require "tide"

-- Fields: lrs, losses (smoothed, in the order they were tried).
local LearningRates = class "LearningRates"

--- The rate at which the loss falls most steeply; nil if too few were tried. Ignores the first
--- `skip_begin` and the last `skip_end` rates.
function LearningRates:suggestion(skip_begin, skip_end)
  skip_begin, skip_end = skip_begin or 10, skip_end or 1
  local best, steepest
  for i = skip_begin + 2, #self.losses - skip_end - 1 do
    local slope = self.losses[i + 1] - self.losses[i - 1]
    if slope == slope and (not steepest or slope < steepest) then
      best, steepest = self.lrs[i], slope
    end
  end
  return best
end

function LearningRates:__tostring()
  local best = self:suggestion()
  return ("LearningRates(%d tried, suggestion %s)"):format(#self.lrs, best and ("%.3g"):format(best)
    or "none")
end

--- Trains some steps (100) with rates from min_lr (1e-8) to max_lr (1), then restores all state. Returns a table: lrs,
--- losses, suggestion(). For a network that is not a Module, pass loss and optimizer in fit; waits in each step.
---@param trainer trainer  the trainer whose options are used
---@param model module  the module; its state is restored afterwards
---@param loader loader  the batches: a loader, a list, or a DataModule
---@param min_lr number = 1e-8  the first learning rate
---@param max_lr number = 1.0  the last learning rate
---@param num_training integer >= 0 = 100  number of steps
---@param mode "exponential" | "linear" = "exponential"  how the learning rate grows
---@param early_stop_threshold number = 4.0  stop when the loss exceeds this multiple of the best
---@param fit table = nil  options of trainer:fit
---@see tide.Trainer lr_scheduler.OneCycleLR
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- local fit = {loss = F.cross_entropy, optimizer = optimizer}
--- local found = tide.training.lr_find(trainer, net, loader, {num_training = 5, fit = fit})
--- #found.lrs --> 5
local read = reader "training.lr_find"

local kDecay <const> = 0.98 -- of the smoothed loss

--- A callback that sets the learning rates and records the losses.
local function recorder(given, result)
  local mean, best = 0, nil
  local function rate(i)
    local share = (i - 1) / math.max(1, given.num_training - 1)
    if given.mode == "linear" then return given.min_lr + (given.max_lr - given.min_lr) * share end
    return given.min_lr * (given.max_lr / given.min_lr) ^ share
  end
  local function set_rate(trainer)
    for _, group in ipairs(trainer.optimizers[1].param_groups) do
      group.lr = rate(#result.lrs + 1)
    end
  end
  return {
    -- The learning rates are set only by this callback.
    on_train_start = function(_, trainer) trainer.optimization.schedules = {} end,
    on_before_optimizer_step = function(_, trainer) set_rate(trainer) end,
    on_advance_end = function(_, trainer, _, done)
      if not done.stepped then return end
      local count = #result.lrs + 1
      mean = kDecay * mean + (1 - kDecay) * trainer.loop.last_loss:item()
      local loss = mean / (1 - kDecay ^ count)
      result.lrs[count], result.losses[count] = rate(count), loss
      if not best or loss < best then best = loss end
      local diverged = loss ~= loss or given.early_stop_threshold and count > 1
        and loss > given.early_stop_threshold * best
      if diverged or count >= given.num_training then trainer.should_stop = true end
    end,
  }
end

--- A deep copy of nested tables and their tensors.
local function copy_of(value)
  if tide.is_tensor(value) then return value:detach():clone() end
  if type(value) ~= "table" then return value end
  local copy = {}
  for key, entry in next, value do copy[key] = copy_of(entry) end
  return copy
end

--- A value that, when closed, restores the model, the given optimizer and the random generator.
local function kept(given)
  local model, optimizer = given.model, given.fit.optimizer
  local has_state = type(optimizer) == "table" and rawget(optimizer, "param_groups") ~= nil
  local weights, steps = copy_of(model:state_dict()), has_state and copy_of(optimizer:state_dict())
  local random = tide.get_rng_state()
  local place = protocol.method(given.loader, "state_dict") and given.loader:state_dict()
  return setmetatable({}, {__close = function()
    model:load_state_dict(weights)
    if steps then optimizer:load_state_dict(steps) end
    if place then given.loader:load_state_dict(place) end
    tide.set_rng_state(random)
  end})
end

--- lr_find(trainer, model, loader, {min_lr = 1e-8, max_lr = 1, num_training = 100}): trains
--- num_training steps with growing rates, then restores all state. Returns a table: lrs, losses, suggestion().
--- `fit` has loss and optimizer for a network that is not a training.Module. Reads the loss in each step.
local function lr_find(...)
  local given = read(...)
  if given.early_stop_threshold then
    of_type("lr_find", "early_stop_threshold", given.early_stop_threshold, "number")
  end
  given.fit = given.fit or {}
  local Trainer = require "tide.training.trainer"
  if not class.is_a(given.trainer, Trainer) then
    raise("lr_find: trainer: expected a Trainer, got %s", protocol.kind_of(given.trainer))
  end
  if not (given.min_lr > 0 and given.min_lr < given.max_lr) then
    raise("lr_find: expected 0 < min_lr < max_lr, got %g and %g", given.min_lr, given.max_lr)
  end
  if given.mode ~= "exponential" and given.mode ~= "linear" then
    raise("lr_find: mode must be exponential or linear, got %s", tostring(given.mode))
  end
  local result = LearningRates()
  result.lrs, result.losses = {}, {}
  local _ <close> = kept(given)
  local options = given.trainer.options
  local trainer = Trainer {
    device = options.device, precision = options.precision,
    accumulate_grad_batches = options.accumulate_grad_batches,
    gradient_clip_val = options.gradient_clip_val,
    gradient_clip_algorithm = options.gradient_clip_algorithm,
    max_steps = given.num_training, num_sanity_val_steps = 0, enable_progress_bar = false,
    callbacks = {recorder(given, result)},
  }
  trainer.stops_at_nonfinite = false -- large learning rates cause nonfinite losses
  trainer:fit(given.model, given.loader, given.fit)
  return result
end

return lr_find
