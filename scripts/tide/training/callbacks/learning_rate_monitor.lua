-- training.LearningRateMonitor: logs the learning rates.
local define = require "tide.internal.declare.define"
local Callback = require "tide.training.callback"
local raise = require "tide.internal.raise"

--- Logs the learning rates as lr, once per "epoch" or "step".
---@param logging_interval "epoch" | "step" = "epoch"  how often to log
---@example
--- local rates = {}
--- local logger = {log_metrics = function(_, values) rates[#rates + 1] = values.lr end}
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local callback = tide.training.LearningRateMonitor()
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, logger = logger, callbacks = {callback}}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- #rates --> 2
local LearningRateMonitor, read = define("training.LearningRateMonitor", Callback)

--- LearningRateMonitor{logging_interval = "epoch"}, or "step": logs the learning rates of the
--- optimizer's groups, as lr or, for several groups, as lr/group1 and so on.
function LearningRateMonitor:init(...)
  self.logging_interval = read(...).logging_interval
  if self.logging_interval ~= "epoch" and self.logging_interval ~= "step" then
    raise("LearningRateMonitor: logging_interval must be epoch or step, got %s",
      tostring(self.logging_interval))
  end
end

function LearningRateMonitor:on_train_start(trainer)
  if #trainer.loggers == 0 then
    raise "LearningRateMonitor: no logger: set default_root_dir or logger on the Trainer"
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
