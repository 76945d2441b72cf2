-- The table `tide.training`: trains modules, saves and resumes a training.
local lazy_table = require "tide.internal.lazy_table"

--- Trains modules, saves and resumes a training: see tide.training.NAME.
---@type table
---@example
--- tide.training.CheckpointManager ~= nil --> true
return lazy_table("tide.training", {
  Callback = "callback", CheckpointManager = "checkpoint_manager", DataModule = "data_module", Module = "module",
  Trainer = "trainer", lr_find = "lr_find",
  EarlyStopping = "callbacks.early_stopping", ExponentialMovingAverage = "callbacks.exponential_moving_average",
  GradientAccumulationScheduler = "callbacks.gradient_accumulation_scheduler",
  LearningRateMonitor = "callbacks.learning_rate_monitor", ModelCheckpoint = "callbacks.model_checkpoint",
  StochasticWeightAveraging = "callbacks.stochastic_weight_averaging", Timer = "callbacks.timer",
})
