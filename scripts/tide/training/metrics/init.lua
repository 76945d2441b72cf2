-- The table `tide.metrics`: metrics of the quality of predictions.
local lazy_table = require "tide.internal.lazy_table"

--- Metrics of the quality of predictions: see tide.metrics.NAME.
---@type table
---@example
--- tide.metrics.Accuracy ~= nil --> true
return lazy_table("tide.metrics", {package = "tide.training.metrics"})
