-- loggers.TensorBoardLogger: a SummaryWriter in a folder save_dir/name/version_N.
local define = require "tide.internal.declare.define"
local folders = require "tide.training.loggers.folders"
local SummaryWriter = require "tide.training.loggers.summary_writer"

--- A SummaryWriter in save_dir/name/version_N; without a version, uses the next free one.
---@param save_dir string  the parent folder of all runs
---@param name string = "tide_logs"  name of the experiment, a folder in save_dir
---@param version integer | string = nil  name of the run; nil is "version_N" with the next free N
---@waits at most once a second, when it writes
---@see loggers.CSVLogger loggers.SummaryWriter tide.Trainer
---@example
--- local logger <close> = tide.loggers.TensorBoardLogger(tide.scratch() .. "/tensorboard")
--- logger:log_metrics({loss = 0.5}, 1)
--- logger.version --> 0
local TensorBoardLogger, read = define("loggers.TensorBoardLogger", SummaryWriter)

--- TensorBoardLogger{save_dir =, name =, version =}: an existing version gets another file.
function TensorBoardLogger:init(...)
  local log_dir
  log_dir, self.name, self.version = folders.of_logger("TensorBoardLogger", read(...))
  self:open("TensorBoardLogger", log_dir)
end

return TensorBoardLogger
