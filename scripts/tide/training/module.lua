-- training.Module: a network that defines its own training.
local define = require "tide.internal.declare.define"
local methods = require "tide.internal.declare.methods"
local NetworkModule = require "tide.nn.module"
local raise = require "tide.internal.raise"

--- The base class of networks that define their own training: training_step(batch, i), which returns the loss or a
--- table with a field loss, validation_step, test_step, predict_step, and configure_optimizers, which returns an
--- optimizer, an optimizer and a scheduler, or {optimizer =, lr_scheduler = {scheduler =, interval = "epoch" or "step",
--- frequency =, monitor =}}. A batch of several values is a list of them. Hooks are methods: on_train_start,
--- on_train_epoch_end, on_validation_batch_end, ...; see tide.training.Callback.
---@see tide.Trainer trainer:fit module:log nn.Module
---@example
--- local Net = tide.class("Net", tide.training.Module)
--- function Net:init() self.body = tide.nn.Linear(2, 2) end
--- function Net:forward(x) return self.body(x) end
--- function Net:training_step(batch) return tide.nn.functional.cross_entropy(self(batch[1]), batch[2]) end
--- function Net:configure_optimizers() return tide.optim.SGD(self:parameters(), {lr = 0.1}) end
--- local net = tide.nn.Linear(2, 2)
--- local F = tide.nn.functional
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- net = Net()
--- trainer:fit(net, loader)
--- trainer.global_step --> 4
local Module = define("training.Module", NetworkModule)

-- The trainer that runs the module.
Module:optional("trainer")

local function trainer_of(self, caller)
  return rawget(self, "trainer") or raise("%s: no Trainer runs this module", caller)
end

--- In a step or hook: logs a number, a one-element tensor, or a metric. In a training step logs the value itself,
--- elsewhere its mean over the epoch, weighted by batch_size; on_step and on_epoch override this. Does not wait.
---@like trainer:log in training/trainer.lua
---@see module:log_dict loggers.CSVLogger
---@example
--- local Net = tide.class("Net", tide.training.Module)
--- function Net:init() self.body = tide.nn.Linear(2, 2) end
--- function Net:forward(x) return self.body(x) end
--- function Net:training_step(batch)
---   self:log("figure", 3)
---   return tide.nn.functional.cross_entropy(self(batch[1]), batch[2])
--- end
--- function Net:configure_optimizers() return tide.optim.SGD(self:parameters(), {lr = 0.1}) end
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- local net = Net()
--- trainer:fit(net, loader)
--- trainer.callback_metrics.figure --> 3
function Module:log(...) trainer_of(self, "log"):log(...) end

--- Logs several values by name.
---@param values table  values by name
---@param prog_bar boolean = false  show it in the progress bar
---@param on_step boolean = nil  log the value of each step; nil: only in training steps
---@param on_epoch boolean = nil  log the mean at the end of the epoch; nil: only outside training steps
---@param logger boolean = true  pass it to the logger
---@param batch_size number = nil  weight of the batch in the mean; nil is its first dimension
---@see module:log loggers.CSVLogger
---@example
--- local Net = tide.class("Net", tide.training.Module)
--- function Net:init() self.body = tide.nn.Linear(2, 2) end
--- function Net:forward(x) return self.body(x) end
--- function Net:training_step(batch)
---   self:log_dict {figure = 3}
---   return tide.nn.functional.cross_entropy(self(batch[1]), batch[2])
--- end
--- function Net:configure_optimizers() return tide.optim.SGD(self:parameters(), {lr = 0.1}) end
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- local net = Net()
--- trainer:fit(net, loader)
--- trainer.callback_metrics.figure --> 3
function Module:log_dict(values, ...)
  for name, value in pairs(values) do self:log(name, value, ...) end
end

--- A list with the optimizer that configure_optimizers returned.
---@example
--- local Net = tide.class("Net", tide.training.Module)
--- function Net:init() self.body = tide.nn.Linear(2, 2) end
--- function Net:forward(x) return self.body(x) end
--- function Net:training_step(batch) return tide.nn.functional.cross_entropy(self(batch[1]), batch[2]) end
--- function Net:on_train_end() self.rate = self:optimizers()[1].param_groups[1].lr end
--- function Net:configure_optimizers() return tide.optim.SGD(self:parameters(), {lr = 0.1}) end
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- local net = Net()
--- trainer:fit(net, loader)
--- net.rate --> 0.1
function Module:optimizers() return trainer_of(self, "optimizers").optimizers end

--- The list of schedulers that configure_optimizers returned.
---@example
--- local Net = tide.class("Net", tide.training.Module)
--- function Net:init() self.body = tide.nn.Linear(2, 2) end
--- function Net:forward(x) return self.body(x) end
--- function Net:training_step(batch) return tide.nn.functional.cross_entropy(self(batch[1]), batch[2]) end
--- function Net:on_train_end() self.count = #self:lr_schedulers() end
--- function Net:configure_optimizers() return tide.optim.SGD(self:parameters(), {lr = 0.1}) end
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- local net = Net()
--- trainer:fit(net, loader)
--- net.count --> 0
function Module:lr_schedulers() return trainer_of(self, "lr_schedulers").lr_schedulers end

methods(Module, "module")

return Module
