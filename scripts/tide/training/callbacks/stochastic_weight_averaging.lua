-- training.StochasticWeightAveraging: averages the weights of the last epochs (Izmailov et al., 2018).
local define = require "tide.internal.declare.define"
local averaged_weights = require "tide.training.callbacks.averaged_weights"
local batches = require "tide.training.batches"
local Callback = require "tide.training.callback"
local class = require "tide.internal.class"
local DataLoader = require "tide.data.data_loader"
local raise = require "tide.internal.raise"
local swa_utils = require "tide.nn.optim.swa_utils"

--- Anneals the learning rate to swa_lrs from epoch swa_epoch_start on (0.8 of all epochs), and sets the module's final
--- weights to the average over the ends of these epochs.
---@param swa_lrs number | number[]  the final learning rate
---@param swa_epoch_start number = 0.8  the first averaged epoch, or as a float a fraction of all epochs
---@param annealing_epochs integer >= 0 = 10  epochs to anneal the learning rate to swa_lrs
---@param annealing_strategy "cos" | "linear" = "cos"  shape of the annealing curve
---@see training.ExponentialMovingAverage optim.swa_utils.AveragedModel
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local callback = tide.training.StochasticWeightAveraging{swa_lrs = 0.05, swa_epoch_start = 2}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, callbacks = {callback}}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- #history --> 2
local StochasticWeightAveraging, read = define("training.StochasticWeightAveraging", Callback)

--- StochasticWeightAveraging{swa_lrs = 0.05, swa_epoch_start = 0.8, annealing_epochs = 10}: from an
--- epoch on, given by number or as a fraction of all, anneals the learning rate to swa_lrs, replacing
--- other schedules. At the end, the module has the average of the weights after these epochs, with its
--- batch norm statistics recomputed.
function StochasticWeightAveraging:init(...)
  for name, value in pairs(read(...)) do self[name] = value end
end

--- The first epoch with the new learning rate schedule.
local function first_epoch(self, trainer)
  if math.type(self.swa_epoch_start) == "integer" then return math.max(1, self.swa_epoch_start) end
  local epochs = trainer.loop.max_epochs
  if not epochs then
    raise "StochasticWeightAveraging: swa_epoch_start: a fraction needs max_epochs"
  end
  return (epochs * self.swa_epoch_start // 1 | 0) + 1
end

--- Replaces all learning rate schedules.
local function change_schedules(self, trainer)
  self.scheduler = swa_utils.SWALR(trainer.optimizers[1], self.swa_lrs, {
    anneal_epochs = self.annealing_epochs, anneal_strategy = self.annealing_strategy,
  })
  trainer.optimization.schedules = {{scheduler = self.scheduler, interval = "epoch", frequency = 1}}
  trainer.lr_schedulers = {self.scheduler}
end

function StochasticWeightAveraging:on_fit_start(trainer, module)
  self.first = first_epoch(self, trainer)
  self.averages = averaged_weights.of(module)
  if self.saved then self.averages:load_state_dict(self.saved) end
  self.saved = nil
end

function StochasticWeightAveraging:on_train_epoch_start(trainer)
  if trainer.current_epoch >= self.first and not self.scheduler then
    change_schedules(self, trainer)
  end
end

function StochasticWeightAveraging:on_train_epoch_end(trainer, module)
  if trainer.current_epoch >= self.first then self.averages:update_parameters(module) end
end

local function has_batch_norm(module)
  for _, each in ipairs(module:modules()) do
    if rawget(each, "running_mean") then return true end
  end
end

function StochasticWeightAveraging:on_train_end(trainer, module)
  if trainer.interrupted or self.averages.n_averaged:item() == 0 then return end
  averaged_weights.take_over(module, self.averages)
  if not has_batch_norm(module) then return end
  local loader = trainer.loop.train
  if not class.is_a(loader, DataLoader) then
    loader = batches.first(loader, trainer.loop.total or math.maxinteger).list
  end
  swa_utils.update_bn(loader, module, trainer.device)
end

function StochasticWeightAveraging:on_fit_end() self.averages, self.scheduler = nil, nil end

function StochasticWeightAveraging:state_dict()
  return {averages = self.averages:state_dict(), changed = self.scheduler ~= nil}
end

function StochasticWeightAveraging:load_state_dict(state, trainer)
  self.saved = state.averages
  if state.changed and trainer.optimization then change_schedules(self, trainer) end
end

return StochasticWeightAveraging
