-- training.LearningRateMonitor: logs the learning rates.
local arguments = require "tide.internal.arguments"
local Callback = require "tide.training.callback"
local class = require "tide.internal.class"
local raise = require "tide.internal.raise"

local LearningRateMonitor = class("LearningRateMonitor", Callback)

local read = arguments("LearningRateMonitor", {{"logging_interval", "epoch"}})

--- LearningRateMonitor{logging_interval = "epoch"}, or "step": gives the rates of the optimizer's
--- groups to the loggers, as lr or, of several, lr/group1 and so on.
function LearningRateMonitor:init(...)
  self.logging_interval = read(...).logging_interval
  if self.logging_interval ~= "epoch" and self.logging_interval ~= "step" then
    raise("LearningRateMonitor: logging_interval must be epoch or step, got %s",
      tostring(self.logging_interval))
  end
end

function LearningRateMonitor:on_train_start(trainer)
  if #trainer.loggers == 0 then
    raise "LearningRateMonitor: there is no logger: give the Trainer default_root_dir or logger"
  end
end

local function log(trainer)
  local groups, rates = trainer.optimizers[1].param_groups, {}
  for i, group in ipairs(groups) do rates[#groups == 1 and "lr" or "lr/group" .. i] = group.lr end
  trainer:log_metrics(rates)
end

function LearningRateMonitor:on_train_epoch_start(trainer)
  if self.logging_interval == "epoch" then log(trainer) end
end

function LearningRateMonitor:on_train_batch_end(trainer)
  if self.logging_interval == "step"
    and trainer.global_step % trainer.options.log_every_n_steps == 0 then
    log(trainer)
  end
end

return LearningRateMonitor
