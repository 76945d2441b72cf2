-- training.ExponentialMovingAverage: a moving average of the weights, for validation and as the final weights.
local define = require "tide.internal.declare.define"
local averaged_weights = require "tide.training.callbacks.averaged_weights"
local Callback = require "tide.training.callback"
local get_ema_avg_fn = require("tide.nn.optim.swa_utils").get_ema_avg_fn

--- Keeps the moving average decay * average + (1 - decay) * weight of all weights. Validation uses it, and it becomes
--- the module's weights at the end. decay is 0.999.
---@param decay number = 0.999  weight of the previous average
---@see training.StochasticWeightAveraging optim.swa_utils.AveragedModel
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local callback = tide.training.ExponentialMovingAverage{decay = 0.9}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, callbacks = {callback}}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- #history --> 2
local ExponentialMovingAverage, read = define("training.ExponentialMovingAverage", Callback)

--- ExponentialMovingAverage{decay = 0.999}: after each step, average = decay * average + (1 - decay) *
--- weight. Validation uses the averages, and the module has them at the end.
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
  if trainer.global_step == self.last_step then return end -- gradients are being accumulated
  self.last_step = trainer.global_step
  self.averages:update_parameters(module)
end

local function swap(self, _, module)
  if self.averages then averaged_weights.swap(module, self.averages) end
end

--- A model whose weights were read from a checkpoint uses the averages that were saved with them.
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
