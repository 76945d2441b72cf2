-- training.EarlyStopping: ends a training when a value has stopped getting better.
local arguments = require "tide.internal.arguments"
local Callback = require "tide.training.callback"
local class = require "tide.internal.class"
local Optimization = require "tide.training.optimization"
local raise = require "tide.internal.raise"

local EarlyStopping = class("EarlyStopping", Callback)

local read = arguments("EarlyStopping", {
  "monitor", {"min_delta", 0.0}, {"patience", 3}, {"mode", "min"}, {"check_finite", true},
  {"stopping_threshold"},
  {"divergence_threshold"}, {"strict", true}, {"verbose", false},
}, {monitor = "string", patience = "count", min_delta = "number", stopping_threshold = "number",
  divergence_threshold = "number"})

--- EarlyStopping{monitor = "val_loss", patience = 3, min_delta = 0, mode = "min"}: stops when the
--- value was not better by more than min_delta `patience` times in a row, is nan or infinite, is
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

--- Why a training whose value is this one ends; nil if it goes on.
function EarlyStopping:judge(value)
  if self.check_finite and value - value ~= 0 then
    return ("%s is %s"):format(self.monitor, tostring(value))
  end
  if self.stopping_threshold and is_better(self, value, self.stopping_threshold, 0) then
    return ("%s reached %g"):format(self.monitor, value)
  end
  if self.divergence_threshold and is_better(self, self.divergence_threshold, value, 0) then
    return ("%s went to %g"):format(self.monitor, value)
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
