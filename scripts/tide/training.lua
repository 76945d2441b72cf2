-- The table `tide.training`: what a training needs besides its parts.
local lazy_table = require "tide.internal.lazy_table"

return lazy_table("tide.training", {CheckpointManager = "checkpoint_manager"})
