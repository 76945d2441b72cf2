-- The table `tide.training`: trains modules, saves and resumes a training.
local lazy_table = require "tide.internal.lazy_table"

--- Trains modules, and saves and resumes trainings: see tide.training.NAME.
---@type table
---@example
--- tide.training.CheckpointManager ~= nil --> true
return lazy_table("tide.training", {folders = {"callbacks"}})
