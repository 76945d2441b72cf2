-- The table `tide.training`: what trains modules, and goes on with a training.
local lazy_table = require "tide.internal.lazy_table"

return lazy_table("tide.training", {
  Callback = "callback", CheckpointManager = "checkpoint_manager", DataModule = "data_module", Module = "module",
  EarlyStopping = "callbacks.early_stopping", ModelCheckpoint = "callbacks.model_checkpoint",
  Timer = "callbacks.timer", Trainer = "trainer",
})
