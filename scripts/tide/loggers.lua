-- The table `tide.loggers`: metrics of a training in files, for people and for TensorBoard.
local lazy_table = require "tide.internal.lazy_table"

--- Metrics in files, for TensorBoard too: see tide.loggers.NAME.
---@type table
---@example
--- tide.loggers.CSVLogger ~= nil --> true
return lazy_table("tide.loggers", {
  CSVLogger = "csv_logger", SummaryWriter = "summary_writer", TensorBoardLogger = "tensor_board_logger",
  read_events = "read_events",
})
