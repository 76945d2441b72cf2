-- training.ExponentialMovingAverage: a mean of the weights that forgets, for validation and in the
-- end.
local arguments = require "tide.internal.arguments"
local averaged_weights = require "tide.training.callbacks.averaged_weights"
local Callback = require "tide.training.callback"
local class = require "tide.internal.class"
local get_ema_avg_fn = require("tide.optim.swa_utils").get_ema_avg_fn

local ExponentialMovingAverage = class("ExponentialMovingAverage", Callback)

local read = arguments("ExponentialMovingAverage", {{"decay", 0.999}}, {decay = "number"})

--- ExponentialMovingAverage{decay = 0.999}: behind each step, mean = decay * mean + (1 - decay) *
--- weight. Validation runs with the means, and the module has them in the end.
function ExponentialMovingAverage:init(...)
  self.decay = read(...).decay
  self.average = get_ema_avg_fn(self.decay)
end

function ExponentialMovingAverage:on_fit_start(trainer, module)
  self.averages = averaged_weights.of(module, self.average)
  if self.saved then
    self.averages:load_state_dict(self.saved)
  else
    self.averages:update_parameters(module)
  end
  self.saved, self.last_step = nil, trainer.global_step
end

function ExponentialMovingAverage:on_train_batch_end(trainer, module)
  if trainer.global_step == self.last_step then return end -- of accumulated gradients
  self.last_step = trainer.global_step
  self.averages:update_parameters(module)
end

local function swap(self, _, module)
  if self.averages then averaged_weights.swap(module, self.averages) end
end

--- A model whose weights were read from a checkpoint takes the means that were saved with them.
local function swap_saved(self, _, module)
  if self.saved then
    self.averages = averaged_weights.of(module, self.average)
    self.averages:load_state_dict(self.saved)
    self.saved = nil
  end
  swap(self, _, module)
end

ExponentialMovingAverage.on_validation_start = swap_saved
ExponentialMovingAverage.on_validation_end = swap
ExponentialMovingAverage.on_test_start = swap_saved
ExponentialMovingAverage.on_test_end = swap
ExponentialMovingAverage.on_predict_start = swap_saved
ExponentialMovingAverage.on_predict_end = swap

function ExponentialMovingAverage:on_fit_end(_, module)
  averaged_weights.take_over(module, self.averages)
  self.averages = nil
end

function ExponentialMovingAverage:state_dict()
  return {decay = self.decay, averages = self.averages and self.averages:state_dict()}
end

function ExponentialMovingAverage:load_state_dict(state) self.saved = state.averages end

return ExponentialMovingAverage
