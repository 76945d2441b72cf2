-- training.ModelCheckpoint: saves checkpoints during a training.
local define = require "tide.internal.declare.define"
local Callback = require "tide.training.callback"
local CheckpointManager = require "tide.training.checkpoint_manager"
local native = require "tide.native"
local Optimization = require "tide.training.optimization"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"

--- Saves a checkpoint after every n-th epoch or step, and when the training stops. Keeps the newest file and the
--- save_top_k (1; -1: all) best by monitor. best_path() and last_path() return their paths.
---@param dirpath string = nil  the folder; nil is the trainer's run folder
---@param filename string = "checkpoint"  prefix of the file names
---@param monitor string = nil  name of the metric, as logged
---@param mode "min" | "max" = "min"  whether a smaller or a larger value is better
---@param save_top_k integer = 1  number of best checkpoints to keep; -1 keeps all
---@param every_n_epochs integer > 0 = nil  epochs between checkpoints; nil is 1
---@param every_n_train_steps integer > 0 = nil  steps between checkpoints
---@errors the monitored value is not logged: the message lists the logged names
---@see training.EarlyStopping module:log tide.Trainer
---@example
--- local path = tide.scratch() .. "/saved"
--- local saver = tide.training.ModelCheckpoint{dirpath = path}
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, callbacks = {saver}}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- #saver.manager:checkpoints() --> 1
local ModelCheckpoint, read = define("training.ModelCheckpoint", Callback)

--- ModelCheckpoint{monitor = "val_loss", mode = "min", save_top_k = 1, every_n_epochs = 1}: saves
--- after every n-th epoch or step, and when the training stops. Files are
--- dirpath/filename-000001.safetensors and so on, by default in the run folder. The newest and the
--- save_top_k best (-1: all) are kept.
function ModelCheckpoint:init(...)
  local given = read(...)
  for name, value in pairs(given) do self[name] = value end
  if self.every_n_epochs and self.every_n_train_steps then
    raise "ModelCheckpoint: pass every_n_epochs or every_n_train_steps, not both"
  end
  local every = self.every_n_train_steps and "every_n_train_steps" or "every_n_epochs"
  self[every] = self[every] or 1
  if self.save_top_k ~= -1 then of_type("ModelCheckpoint", "save_top_k", self.save_top_k, "integer > 0") end
end

--- Opens the files; `folder` is the run folder, and `objects` are the objects to save.
function ModelCheckpoint:open(folder, objects)
  local where = self.dirpath or folder
  if not where then
    raise "ModelCheckpoint: no folder to save to: set dirpath, or default_root_dir on the Trainer"
  end
  if self.dirpath then native.make_folders(where) end
  local all, top = self.save_top_k == -1, self.save_top_k
  self.manager = CheckpointManager(where .. "/" .. self.filename, objects, {
    mode = self.mode, keep = (all and math.maxinteger) or not self.monitor and top or 1,
    keep_best = self.monitor and not all and top or 1,
  })
  self.saved_at = nil
end

--- The path of the newest file, or of the best one; nil if there is none.
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
  -- In the middle of an epoch, the value may not be logged yet.
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
