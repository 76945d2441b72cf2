-- The table `tide.loggers`: metrics of a training in files, for people and for TensorBoard.
local lazy_table = require "tide.internal.lazy_table"

return lazy_table("tide.loggers", {
  CSVLogger = "csv_logger", SummaryWriter = "summary_writer", TensorBoardLogger = "tensor_board_logger",
  read_events = "read_events",
})
