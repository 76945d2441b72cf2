-- The run folder, default_root_dir/version_N: its loggers and checkpoints.
local CheckpointManager = require "tide.training.checkpoint_manager"
local CSVLogger = require "tide.training.loggers.csv_logger"
local folders = require "tide.training.loggers.folders"
local TensorBoardLogger = require "tide.training.loggers.tensor_board_logger"

local run_folder = {}

--- The newest run folder with a checkpoint: its path and version; nil if there is none.
function run_folder.newest(root)
  local versions = folders.versions(root)
  for i = #versions, 1, -1 do
    local path = ("%s/version_%d"):format(root, versions[i])
    if CheckpointManager.has_files(path .. "/checkpoint") then return path, versions[i] end
  end
end

--- Creates a run folder, a new one or the one of a version. Returns its path and version.
function run_folder.make(root, version)
  local path, _, made = folders.of_logger("Trainer",
    {save_dir = root, name = "", version = version})
  return path, made
end

--- The loggers that write to the folder of a version.
function run_folder.loggers(root, version)
  local where = {save_dir = root, name = "", version = version}
  return {CSVLogger(where), TensorBoardLogger(where)}
end

return run_folder
