-- The table `tide.training`: what trains modules, and goes on with a training.
local lazy_table = require "tide.internal.lazy_table"

--- What saves a training and goes on with it: see tide.training.NAME.
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
