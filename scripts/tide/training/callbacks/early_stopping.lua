-- training.EarlyStopping: ends a training when a metric has stopped improving.
local define = require "tide.internal.declare.define"
local Callback = require "tide.training.callback"
local Optimization = require "tide.training.optimization"
local raise = require "tide.internal.raise"

--- Stops when a metric has not improved for `patience` (3) validations or epochs, is nan, or passes a threshold.
---@param monitor string  name of the metric, as logged
---@param min_delta number = 0.0  smallest change that counts as an improvement
---@param patience integer >= 0 = 3  validations or epochs without improvement
---@param mode "min" | "max" = "min"  whether a smaller or a larger value is better
---@param check_finite boolean = true  stop on nan and inf
---@param stopping_threshold number = nil  stop once the metric is better than this
---@param divergence_threshold number = nil  stop if the metric is worse than this
---@param strict boolean = true  raise an error if the metric is never logged
---@param verbose boolean = false  print the reason for stopping
---@errors the monitored value is not logged: the message lists the logged names
---@see training.ModelCheckpoint module:log tide.Trainer
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local stop = tide.training.EarlyStopping{monitor = "loss", stopping_threshold = 100}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, callbacks = {stop}}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- #history --> 1
local EarlyStopping, read = define("training.EarlyStopping", Callback)

--- EarlyStopping{monitor = "val_loss", patience = 3, min_delta = 0, mode = "min"}: stops when the
--- value did not improve by more than min_delta `patience` times in a row, is nan or infinite, is
--- better than stopping_threshold, or worse than divergence_threshold.
function EarlyStopping:init(...)
  for name, value in pairs(read(...)) do self[name] = value end
  if self.mode ~= "min" and self.mode ~= "max" then
    raise("EarlyStopping: mode must be min or max, got %s", tostring(self.mode))
  end
  self.best_score = self.mode == "min" and math.huge or -math.huge
  self.wait_count, self.stopped_epoch = 0, 0
end

local function is_better(self, value, than, by)
  if self.mode == "min" then return value < than - by end
  return value > than + by
end

--- The reason for a training with this value to end; nil to continue.
function EarlyStopping:judge(value)
  if self.check_finite and value - value ~= 0 then
    return ("%s is %s"):format(self.monitor, tostring(value))
  end
  if self.stopping_threshold and is_better(self, value, self.stopping_threshold, 0) then
    return ("%s reached %g"):format(self.monitor, value)
  end
  if self.divergence_threshold and is_better(self, self.divergence_threshold, value, 0) then
    return ("%s diverged to %g"):format(self.monitor, value)
  end
  if is_better(self, value, self.best_score, math.abs(self.min_delta)) then
    self.best_score, self.wait_count = value, 0
    return nil
  end
  self.wait_count = self.wait_count + 1
  if self.wait_count >= self.patience then
    return ("%s was not below %g for %d times"):format(self.monitor, self.best_score,
      self.wait_count)
      :gsub("below", self.mode == "min" and "below" or "above")
  end
end

function EarlyStopping:on_advance_end(trainer, _, done)
  local validates = trainer.loop.validation ~= nil
  if validates and not done.validated or not validates and not done.epoch_ended then return end
  if not self.strict and trainer.callback_metrics[self.monitor] == nil then return end
  local why = self:judge(Optimization.monitored("EarlyStopping", self.monitor,
    trainer.callback_metrics))
  if not why then return end
  trainer.should_stop, self.stopped_epoch = true, trainer.current_epoch
  if self.verbose then trainer:print("EarlyStopping: " .. why) end
end

function EarlyStopping:state_dict()
  return {
    best_score = self.best_score, wait_count = self.wait_count, stopped_epoch = self.stopped_epoch,
  }
end

function EarlyStopping:load_state_dict(state)
  self.best_score, self.wait_count = state.best_score, state.wait_count
  self.stopped_epoch = state.stopped_epoch
end

return EarlyStopping
