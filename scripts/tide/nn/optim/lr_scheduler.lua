-- The table `tide.optim.lr_scheduler`: learning rate schedulers.
local lazy_table = require "tide.internal.lazy_table"

--- Learning rate schedulers: see tide.optim.lr_scheduler.NAME.
---@type table
---@example
--- optim.lr_scheduler.StepLR ~= nil --> true
local place = "tide.optim.lr_scheduler"

return lazy_table("tide.nn.optim", {
  ChainedScheduler = "chained_scheduler",
  CosineAnnealingWarmRestarts = "cosine_annealing_warm_restarts",
  CyclicLR = "cyclic_lr",
  LRScheduler = "scheduler",
  OneCycleLR = "one_cycle_lr",
  ReduceLROnPlateau = "reduce_lr_on_plateau",
  SequentialLR = "sequential_lr",
}, {
  schedules = {
    "ConstantLR", "CosineAnnealingLR", "ExponentialLR", "LambdaLR", "LinearLR", "MultiStepLR",
    "MultiplicativeLR", "PolynomialLR", "StepLR",
  },
}, place)
