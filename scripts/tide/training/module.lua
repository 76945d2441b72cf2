-- training.Module: a network that says how it is trained.
local class = require "tide.internal.class"
local kind_of = require "tide.internal.kind_of"
local NetworkModule = require "tide.nn.module"
local raise = require "tide.internal.raise"

local Module = class("Module", NetworkModule)

-- The trainer that runs the module.
Module:optional("trainer")

local function trainer_of(self, caller)
  return rawget(self, "trainer") or raise("%s: no Trainer runs this module", caller)
end

--- self:log("loss", loss, {prog_bar = true, on_step =, on_epoch =, logger =, batch_size =}): logs a
--- number, a tensor of one value or a metric. Values of a training step are logged as they are
--- (on_step), those of other steps as their mean over the epoch (on_epoch). Does not wait.
function Module:log(name, value, options) trainer_of(self, "log"):log(name, value, options) end

--- self:log_dict({loss = loss, accuracy = accuracy}, options)
function Module:log_dict(values, options)
  if type(values) ~= "table" then raise("log_dict: expected a table, got %s", kind_of(values)) end
  for name, value in pairs(values) do self:log(name, value, options) end
end

--- The optimizers that configure_optimizers returned.
function Module:optimizers() return trainer_of(self, "optimizers").optimizers end

--- The schedulers that configure_optimizers returned.
function Module:lr_schedulers() return trainer_of(self, "lr_schedulers").lr_schedulers end

return Module
