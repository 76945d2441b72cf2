-- The state of a training: the contents of a checkpoint besides the model.
local CheckpointManager = require "tide.training.checkpoint_manager"
local class = require "tide.internal.class"
local History = require "tide.training.history"
local hooks = require "tide.training.hooks"
local kind_of = require "tide.internal.kind_of"
local ModelCheckpoint = require "tide.training.callbacks.model_checkpoint"
local raise = require "tide.internal.raise"
local run_folder = require "tide.training.run_folder"
local tide = require "tide"

local TrainingState = class "TrainingState"

function TrainingState:init(trainer) self.trainer = trainer end

--- The objects that a CheckpointManager saves.
function TrainingState:objects() return {model = self.trainer.task.module, training = self} end

--- Calls fn(key, callback) for the callbacks; keys are class names, numbered from the second of a class on.
local function each_callback(trainer, fn)
  local counts = {}
  for _, callback in ipairs(trainer.callbacks) do
    local meta = getmetatable(callback)
    local name = meta and meta.name or "callback"
    counts[name] = (counts[name] or 0) + 1
    fn(counts[name] == 1 and name or name .. counts[name], callback)
  end
end

function TrainingState:state_dict()
  local trainer = self.trainer
  local callbacks = {}
  each_callback(trainer, function(key, callback)
    local save = hooks.method(callback, "state_dict")
    callbacks[key] = save and save(callback)
  end)
  local rows = {}
  for i, row in ipairs(trainer.history) do rows[i] = row end
  local own = {}
  trainer.call("on_save_checkpoint", own)
  return {
    loop = trainer.loop:state_dict(), optimization = trainer.optimization:state_dict(),
    callbacks = callbacks,
    history = rows, metrics = trainer.callback_metrics, current_epoch = trainer.current_epoch,
    global_step = trainer.global_step, accumulate_grad_batches = trainer.accumulate_grad_batches,
    own = own,
  }
end

function TrainingState:load_state_dict(state)
  local trainer = self.trainer
  trainer.current_epoch, trainer.global_step = state.current_epoch, state.global_step
  trainer.accumulate_grad_batches, trainer.callback_metrics = state.accumulate_grad_batches,
    state.metrics
  trainer.history = History()
  for _, row in ipairs(state.history) do trainer.history:add(row) end
  -- Before the schedulers, which a callback may replace.
  each_callback(trainer, function(key, callback)
    local load = hooks.method(callback, "load_state_dict")
    if load and state.callbacks[key] then load(callback, state.callbacks[key], trainer) end
  end)
  trainer.optimization:load_state_dict(state.optimization)
  trainer.loop:load_state_dict(state.loop)
  trainer.call("on_load_checkpoint", state.own)
end

local function checkpoints_of(trainer)
  for _, callback in ipairs(trainer.callbacks) do
    if class.is_a(callback, ModelCheckpoint) then return callback end
  end
end

--- A manager that reads and writes single files.
local function files_of(self) return CheckpointManager("", self:objects()) end

function TrainingState:write(path) files_of(self):write(path) end

--- Resumes from a file, or from the "last" checkpoint if there is one.
function TrainingState:resume(ckpt_path)
  if ckpt_path == nil then return end
  if type(ckpt_path) ~= "string" then
    raise("fit: ckpt_path: expected \"last\" or a path, got %s", kind_of(ckpt_path))
  end
  if ckpt_path ~= "last" then
    files_of(self):restore_file(ckpt_path)
    return
  end
  local callback = checkpoints_of(self.trainer)
  if not callback then
    raise "fit: ckpt_path: \"last\" needs a ModelCheckpoint, or default_root_dir"
  end
  callback.manager:restore()
end

--- The file for "last" or "best", or the path itself.
local function file_of(trainer, ckpt_path)
  if ckpt_path ~= "last" and ckpt_path ~= "best" then return ckpt_path end
  local callback = checkpoints_of(trainer)
  if callback and not callback.manager then
    local folder = callback.dirpath or trainer.options.default_root_dir
      and run_folder.newest(trainer.options.default_root_dir)
    if folder then callback:open(folder, {model = trainer.task.module}) end
  end
  local path = callback and (ckpt_path == "best" and callback:best_path() or callback:last_path())
  return path or raise("%s: ckpt_path: no checkpoint found", trainer.caller)
end

--- Loads only the model and the states of callbacks.
function TrainingState:load_model(ckpt_path)
  local trainer = self.trainer
  local path = file_of(trainer, ckpt_path)
  local state = tide.load(path, "cpu")
  if type(state.model) ~= "table" then
    raise("%s: %s is not a training checkpoint", trainer.caller, path)
  end
  trainer.task.module:load_state_dict(state.model)
  local saved = type(state.training) == "table" and state.training.callbacks or {}
  each_callback(trainer, function(key, callback)
    local load = hooks.method(callback, "load_state_dict")
    if load and saved[key] then load(callback, saved[key], trainer) end
  end)
end

return TrainingState
