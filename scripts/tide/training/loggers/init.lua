-- The table `tide.loggers`: write training metrics to files, also for TensorBoard.
local lazy_table = require "tide.internal.lazy_table"

--- Loggers of metrics to files, also for TensorBoard: see tide.loggers.NAME.
---@type table
---@example
--- tide.loggers.CSVLogger ~= nil --> true
return lazy_table("tide.loggers", {package = "tide.training.loggers"})
