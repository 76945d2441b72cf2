-- training.ModelCheckpoint: saves the training as it goes.
local arguments = require "tide.internal.arguments"
local Callback = require "tide.training.callback"
local CheckpointManager = require "tide.training.checkpoint_manager"
local class = require "tide.internal.class"
local native = require "tide.native"
local Optimization = require "tide.training.optimization"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"

local ModelCheckpoint = class("ModelCheckpoint", Callback)

local read = arguments("ModelCheckpoint", {
  {"dirpath"}, {"filename", "checkpoint"}, {"monitor"}, {"mode", "min"}, {"save_top_k", 1},
  {"every_n_epochs"},
  {"every_n_train_steps"},
}, {dirpath = "string", filename = "string", monitor = "string"})

--- ModelCheckpoint{monitor = "val_loss", mode = "min", save_top_k = 1, every_n_epochs = 1}: saves
--- behind every n-th epoch, or step, and where a training stops. Files are
--- dirpath/filename-000001.safetensors and so on, by default in the folder of the run. The newest
--- is kept, and the save_top_k best (-1: all).
function ModelCheckpoint:init(...)
  local given = read(...)
  for name, value in pairs(given) do self[name] = value end
  if self.mode ~= "min" and self.mode ~= "max" then
    raise("ModelCheckpoint: mode must be min or max, got %s", tostring(self.mode))
  end
  if self.every_n_epochs and self.every_n_train_steps then
    raise "ModelCheckpoint: either every_n_epochs or every_n_train_steps is given, not both"
  end
  local every = self.every_n_train_steps and "every_n_train_steps" or "every_n_epochs"
  self[every] = protocol.check_positive("ModelCheckpoint", every, self[every] or 1)
  if self.save_top_k ~= -1 then
    protocol.check_positive("ModelCheckpoint", "save_top_k", self.save_top_k)
  end
end

--- Opens the files; `folder` is that of the run, and `objects` what is saved.
function ModelCheckpoint:open(folder, objects)
  local where = self.dirpath or folder
  if not where then
    raise "ModelCheckpoint: say where to save: dirpath, or default_root_dir of the Trainer"
  end
  if self.dirpath then native.make_folders(where) end
  local all, top = self.save_top_k == -1, self.save_top_k
  self.manager = CheckpointManager(where .. "/" .. self.filename, objects, {
    mode = self.mode, keep = (all and math.maxinteger) or not self.monitor and top or 1,
    keep_best = self.monitor and not all and top or 1,
  })
  self.saved_at = nil
end

--- The path of the newest file, or the best; nil if there is none.
function ModelCheckpoint:last_path()
  local list = self.manager and self.manager:checkpoints() or {}
  return list[#list] and list[#list].path
end

function ModelCheckpoint:best_path()
  for _, entry in ipairs(self.manager and self.manager:checkpoints() or {}) do
    if entry.best then return entry.path end
  end
end

function ModelCheckpoint:save(trainer, done)
  local values, metric = trainer.callback_metrics, nil
  -- In the middle of an epoch there may be no value yet.
  if self.monitor and (values[self.monitor] ~= nil or done.epoch_ended) then
    metric = Optimization.monitored("ModelCheckpoint", self.monitor, values)
  end
  trainer:check_finite()
  self.manager:save({epoch = trainer.current_epoch, global_step = trainer.global_step}, metric)
  self.saved_at = trainer.global_step
end

function ModelCheckpoint:on_advance_end(trainer, _, done)
  local due
  if self.every_n_train_steps then
    due = done.stepped and trainer.global_step % self.every_n_train_steps == 0
  else
    due = done.epoch_ended and trainer.current_epoch % self.every_n_epochs == 0
  end
  if due or (done.stopping or trainer.should_stop) and self.saved_at ~= trainer.global_step then
    self:save(trainer, done)
  end
end

return ModelCheckpoint
