-- loggers.TensorBoardLogger: a SummaryWriter in a folder save_dir/name/version_N.
local class = require "tide.internal.class"
local folders = require "tide.loggers.folders"
local SummaryWriter = require "tide.loggers.summary_writer"

local TensorBoardLogger = class("TensorBoardLogger", SummaryWriter)

--- TensorBoardLogger{save_dir =, name =, version =}: a version that is there gets a further file.
function TensorBoardLogger:init(...)
  local log_dir
  log_dir, self.name, self.version = folders.of_logger("TensorBoardLogger", ...)
  self:open("TensorBoardLogger", log_dir)
end

return TensorBoardLogger
