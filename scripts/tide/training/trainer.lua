-- tide.Trainer: trains, validates and tests modules over loaders.
local batches = require "tide.training.batches"
local class = require "tide.internal.class"
local define = require "tide.internal.declare.define"
local DataModule = require "tide.training.data_module"
local evaluation_loop = require "tide.training.evaluation_loop"
local FitLoop = require "tide.training.fit_loop"
local History = require "tide.training.history"
local hooks = require "tide.training.hooks"
local methods = require "tide.internal.declare.methods"
local ModelCheckpoint = require "tide.training.callbacks.model_checkpoint"
local Optimization = require "tide.training.optimization"
local ProgressBar = require "tide.training.progress_bar"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local reader = require "tide.internal.declare.reader"
local run_folder = require "tide.training.run_folder"
local task = require "tide.training.task"
local Timer = require "tide.training.callbacks.timer"
local tide = require "tide"
local trainer_options = require "tide.training.trainer_options"
local TrainingState = require "tide.training.training_state"

-- Fields that scripts may read: options; device; callbacks; loggers; callback_metrics (the latest
-- values by name); history; current_epoch (from 1), global_step (steps done); should_stop (a hook
-- may set it); interrupted; optimizers, lr_schedulers; accumulate_grad_batches; log_dir.
--- The same as tide.Trainer.
---@param accumulate_grad_batches integer > 0 = 1  batches whose gradients are accumulated for a step
---@param callbacks callback | callback[] = nil  callbacks whose hooks are called during training
---@param check_val_every_n_epoch integer > 0 = 1  epochs between validations
---@param default_root_dir string = nil  the folder for logs and checkpoints; nil writes none
---@param detect_anomaly boolean = false  check each gradient for nan, which waits
---@param deterministic boolean = false  raise an error for operations that are not reproducible
---@param device device = nil  the device to train on; nil is tide.accelerator()
---@param enable_checkpointing boolean = nil  write checkpoints; nil: only with a default_root_dir
---@param enable_progress_bar boolean = true  show a progress bar
---@param fast_dev_run boolean | integer >= 0 = 0  trial run: one epoch with this many batches of each loader, without
---  writing files
---@param gradient_clip_algorithm "norm" | "value" = "norm"  clip the total norm, or each element
---@param gradient_clip_val number > 0 = nil  limit for clipping gradients
---@param limit_predict_batches number >= 0 = 1.0  batches to use per pass: a count, or as a float a fraction
---@param limit_test_batches number >= 0 = 1.0  batches to use per pass: a count, or as a float a fraction
---@param limit_train_batches number >= 0 = 1.0  batches to use per pass: a count, or as a float a fraction
---@param limit_val_batches number >= 0 = 1.0  batches to use per pass: a count, or as a float a fraction
---@param log_every_n_steps integer > 0 = 50  steps between two log entries
---@param logger boolean | logger | logger[] = nil  destination of logged values; nil is a CSVLogger and a
---  TensorBoardLogger in default_root_dir
---@param max_epochs integer > 0 = nil  total epochs; one of max_epochs, max_steps and max_time is required
---@param max_steps integer > 0 = nil  total optimizer steps
---@param max_time number | string | table = nil  seconds, "DD:HH:MM:SS" or {hours = 1}
---@param min_epochs integer >= 0 = 0  epochs before early stopping is allowed
---@param min_steps integer >= 0 = 0  steps before early stopping is allowed
---@param num_sanity_val_steps integer >= 0 = 2  batches to validate before training starts
---@param overfit_batches number >= 0 = 0  train and validate on only these batches; 0 is off
---@param precision "32" | "16-mixed" | "bf16-mixed" = "32"  dtype of the forward pass
---@param val_check_interval number >= 0 = 1.0  batches between validations, or as a float a fraction of an epoch
---@waits when values are shown or written
---@errors an unknown option: the message suggests the nearest name
---@see trainer:fit training.Module training.ModelCheckpoint training.EarlyStopping loggers.CSVLogger
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- #history --> 2
local Trainer, read, _, option_names = define("training.Trainer")

function Trainer:init(options, ...)
  trainer_options.check(options, option_names(), ...)
  self.options = trainer_options.prepare(read(options or {}))
  self.device = self.options.device
  self.accumulate_grad_batches = self.options.accumulate_grad_batches
  self.callbacks, self.loggers, self.callback_metrics, self.history = {}, {}, {}, History()
  self.current_epoch, self.global_step, self.should_stop, self.interrupted = 0, 0, false, false
  self.stops_at_nonfinite = true
  local last = {}
  for _, callback in ipairs(self.options.callbacks) do
    if type(callback) ~= "table" then
      raise("Trainer: callbacks: expected callbacks, got %s", protocol.kind_of(callback))
    end
    -- Checkpoint callbacks run last, so that checkpoints include the effects of the others.
    local list = class.is_a(callback, ModelCheckpoint) and last or self.callbacks
    list[#list + 1] = callback
  end
  if self.options.max_time then
    self.callbacks[#self.callbacks + 1] = Timer {duration = self.options.max_time}
  end
  local saves = self.options.enable_checkpointing
  if saves == nil then saves = self.options.default_root_dir ~= nil end
  if saves and #last == 0 then last[1] = ModelCheckpoint() end
  if saves or self.options.enable_checkpointing == nil then
    table.move(last, 1, #last, #self.callbacks + 1, self.callbacks)
  end
end

-- Logging -----------------------------------------------------------------------------------------

--- In a hook: logs as module:log does.
---@param name string  name of the value
---@param value number | boolean | tensor | metric  the value; tensors are read when they are written
---@param prog_bar boolean = false  show it in the progress bar
---@param on_step boolean = nil  log the value of each step; nil: only in training steps
---@param on_epoch boolean = nil  log the mean at the end of the epoch; nil: only outside training steps
---@param logger boolean = true  pass it to the logger
---@param batch_size number = nil  weight of the batch in the mean; nil is its first dimension
---@see module:log module:log_dict loggers.CSVLogger
---@example
--- local callback = {on_train_epoch_end = function(_, trainer) trainer:log("seven", 7) end}
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, callbacks = {callback}}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- history[1].seven --> 7.0
function Trainer:log(name, value, prog_bar, on_step, on_epoch, logger, batch_size)
  if not self.values then raise("log: %s: nothing is running: call it in a step or hook", name) end
  local options = {prog_bar = prog_bar, on_step = on_step, on_epoch = on_epoch, logger = logger}
  self.values:log(name, value, options, batch_size or self.batch_size, self.in_step)
end

--- Passes values to the loggers at the current step.
---@param values table  values by name
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- trainer:log_metrics {loss = 0.5}
function Trainer:log_metrics(values)
  if next(values) == nil then return end
  for _, logger in ipairs(self.loggers) do logger:log_metrics(values, self.global_step) end
end

--- In a hook: prints a line without disturbing the progress bar.
---@param text string  the text
---@example
--- local callback = {on_train_end = function(_, trainer) trainer:print "done" end}
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, callbacks = {callback}}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- #history --> 2
function Trainer:print(text) self.bar:print(text) end

--- In a hook: raises an error if the loss was nan or infinite in this epoch; waits.
---@example
--- local callback = {on_train_batch_end = function(_, trainer) trainer:check_finite() end}
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, callbacks = {callback}}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- #history --> 2
function Trainer:check_finite()
  if self.loop and self.loop.loss_sum then self.loop:read {} end
end

-- Beginning and ending ----------------------------------------------------------------------------

--- Moves the model to the device and collects the hooks. Returns a value that undoes this when closed.
local function prepare(self, caller, model, given)
  self.caller, self.should_stop, self.interrupted, self.callback_metrics = caller, false, false, {}
  self.task = task.of(caller, model, given, function(...) self:log(...) end)
  self.bar = ProgressBar(self.options.enable_progress_bar)
  self.call, self.listens = hooks.caller(self, self.task.owner, self.callbacks)
  rawset(model, "trainer", self)
  model:to(self.device)
  return setmetatable({}, {__close = function(_, problem)
    if problem ~= nil then self.bar:clear() end
    rawset(model, "trainer", nil)
    self.values, self.loop = nil, nil
  end})
end

--- If `source` is a data module, returns a function that returns its loaders by name.
local function set_up_data(self, source, stage)
  self.data_module = nil
  if not class.is_a(source, DataModule) then return nil end
  source:prepare_data()
  source:setup(stage)
  self.data_module = source
  return function(name)
    local method = hooks.method(source, name)
    return method and method(source)
  end
end

--- Calls fn with the global modes that the options ask for.
local function with_modes(self, fn)
  local _ <close> = self.options.deterministic and tide.deterministic() or nil
  local _ <close> = self.options.detect_anomaly and tide.detect_anomaly() or nil
  return fn()
end

--- The loaders of fit.
local function loaders_of_fit(self, train, validation)
  local loaders = set_up_data(self, train, "fit")
  if loaders then
    train, validation = loaders "train_dataloader", loaders "val_dataloader"
    if train == nil then raise "fit: the data module has no train_dataloader" end
  end
  train = batches.as_loader("fit", "train", train)
  if validation ~= nil then validation = batches.as_loader("fit", "validation", validation) end
  local overfit = self.options.overfit_batches
  if overfit > 0 then
    train = batches.first(train, batches.limited("fit", "overfit_batches", overfit, train))
    validation = validation and train
  end
  return train, validation
end

--- Sets how long to train.
local function set_length(self, epochs)
  local options, loop = self.options, self.loop
  if epochs then loop.max_epochs = epochs end
  if options.fast_dev_run > 0 then loop.max_epochs = 1 end
  if not loop.max_epochs and not options.max_steps and not options.max_time then
    raise("fit: no stopping condition: pass epochs, or set max_epochs, max_steps or max_time " ..
      "on the Trainer")
  end
  local per_epoch = loop.total
    and (loop.total + self.accumulate_grad_batches - 1) // self.accumulate_grad_batches
  local steps = per_epoch and loop.max_epochs and per_epoch * loop.max_epochs
  self.estimated_stepping_batches = steps and math.min(steps, options.max_steps or steps)
    or options.max_steps
end

--- Opens the run folder, with its loggers and checkpoints.
local function open_files(self, ckpt_path)
  local root = self.options.default_root_dir
  local logger = self.options.logger
  local makes_folder = root and self.options.fast_dev_run == 0
  local resumes = ckpt_path == "last" and makes_folder and {run_folder.newest(root)} or {}
  local version
  if makes_folder then self.log_dir, version = run_folder.make(root, resumes[2]) end
  self.loggers = type(logger) == "table" and logger or {}
  if logger == true and not root then
    raise "fit: logger = true needs a folder: default_root_dir"
  end
  local own = makes_folder and (logger == nil or logger == true)
    and run_folder.loggers(root, version) or {}
  if #own > 0 then self.loggers = own end
  for _, callback in ipairs(self.callbacks) do
    if class.is_a(callback, ModelCheckpoint) then
      callback:open(self.log_dir, self.state:objects())
    end
  end
  return setmetatable({}, {__close = function(_, problem)
    -- After an error, a failing write must not hide it.
    for _, each in ipairs(own) do
      if problem ~= nil then pcall(each.close, each) else each:close() end
    end
    if problem ~= nil then return end
    for _, each in ipairs(self.loggers) do
      if protocol.method(each, "save") and not each.closed then each:save() end
    end
  end})
end

local function sanity_check(self, loop)
  local count = self.options.num_sanity_val_steps
  if count == 0 or not loop.validation or loop.epochs + loop.batch > 0 or loop.unfinished then
    return
  end
  local random, place = tide.get_rng_state(), batches.state_of(loop.validation, false)
  self.call "on_sanity_check_start"
  evaluation_loop.run(self, "validation", loop.validation,
    math.min(count, loop.validation_total or count))
  self.call "on_sanity_check_end"
  self.callback_metrics = {}
  tide.set_rng_state(random)
  batches.restore(loop.validation, place)
end

local function finish_fit(self)
  if not self.interrupted then return end
  local path
  for _, callback in ipairs(self.callbacks) do
    path = path or class.is_a(callback, ModelCheckpoint) and callback:last_path()
  end
  self.bar:clear()
  io.stderr:write(("interrupted in epoch %d after step %d: %s\n"):format(
    self.current_epoch, self.global_step,
    path and "resume from " .. path or "nothing is saved without default_root_dir"))
end

local function fit(self, model, train, validation, given)
  self.current_epoch, self.global_step, self.history = 0, 0, History()
  self.accumulate_grad_batches = self.options.accumulate_grad_batches
  local _ <close> = evaluation_loop.kept_modes(model)
  model:train()
  self.loop = FitLoop(self, train, validation)
  set_length(self, given.epochs)
  self.call("setup", "fit")
  self.optimization = Optimization(self, model, "configure_optimizers", self.task.configure "fit")
  self.optimizers, self.lr_schedulers = {self.optimization.optimizer},
    self.optimization:schedulers()
  self.state = TrainingState(self)
  local _ <close> = open_files(self, given.ckpt_path)
  self.state:resume(given.ckpt_path)
  self.call "on_fit_start"
  sanity_check(self, self.loop)
  self.call "on_train_start"
  self.loop:run()
  self.call "on_train_end"
  self.call "on_fit_end"
  self.call("teardown", "fit")
  finish_fit(self)
  return self.history
end

--- Adds the epoch and the batch to the error of a step, or of the loader that made its batch. An error on the device
--- may be noticed only when the epoch's metrics are read: then adds the number of batches it may come from.
local function with_place(self, problem)
  local loop = self.loop
  if not loop or type(problem) ~= "string" or problem:find(": fit: ", 1, true) then return problem end
  local place = loop.failing and ("batch %d"):format(loop.failing)
    or loop.batch > 0 and problem:find("noticed at", 1, true) and ("one of %d batches"):format(loop.batch)
  if not place then return problem end
  return (problem:gsub("^[^\n]*", function(line)
    return ("%s (epoch %d, %s)"):format(line, self.current_epoch, place)
  end, 1))
end

--- Trains a tide.training.Module, or any network given loss and optimizer: a batch is inputs and, last, the target.
--- Loaders are DataLoaders, lists of batches, or one DataModule. ckpt_path resumes a training: a path, or "last" for
--- the newest in default_root_dir. Returns a list with a table of metrics for each epoch. On Ctrl-C, fit finishes the
--- current step, saves, and returns with trainer.interrupted = true.
---@param model module  a tide.training.Module, or any network if loss is given
---@param train any  batches to train on: a loader, a list, or one DataModule
---@param validation any = nil  batches to validate on: a loader or a list
---@param epochs integer > 0 = nil  epochs of this call; nil is the trainer's max_epochs
---@param ckpt_path string = nil  the checkpoint to resume from: a path or "last"
---@param loss function = nil  loss(output, target), for a network without training_step
---@param optimizer optimizer = nil  for a network without configure_optimizers
---@param scheduler scheduler = nil  learning rate scheduler, stepped at the end of each epoch
---@param metrics table = nil  metrics by name
---@counts epochs and steps
---@waits when values are shown or written
---@errors of a step or a loader: the message contains the epoch and the batch, and for a loader the sample
---@see tide.Trainer trainer:validate trainer:predict training.Module
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- local metrics = {accuracy = tide.metrics.Accuracy()}
--- local history = trainer:fit(net, loader, loader, {loss = F.cross_entropy, optimizer = optimizer, metrics = metrics})
--- history[2].epoch --> 2
local read_fit = reader "trainer:fit"

function Trainer:fit(...)
  local given = read_fit(self, ...)
  local train, validation = loaders_of_fit(self, given.train, given.validation)
  local _ <close> = prepare(self, "fit", given.model, given)
  local ran, result = pcall(with_modes, self, function()
    return fit(self, given.model, train, validation, given)
  end)
  if not ran then
    result = with_place(self, result)
    self.call("on_exception", result)
    error(result, 0)
  end
  if self.data_module then self.data_module:teardown "fit" end
  return result
end

-- Without training --------------------------------------------------------------------------------

local kLoaders <const> = {
  validation = "val_dataloader", test = "test_dataloader", predict = "predict_dataloader",
}

local kLimits <const> = {
  validation = "limit_val_batches", test = "limit_test_batches", predict = "limit_predict_batches",
}

local function evaluate(self, caller, stage, given)
  local model, loader = given.model, given.loader
  local loaders = set_up_data(self, loader, caller)
  if loaders then loader = loaders(kLoaders[stage]) end
  loader = batches.as_loader(caller, "loader", loader)
  local _ <close> = prepare(self, caller, model, given)
  if not self.task.has[stage] then
    raise("%s: %s has no %s_step and no loss is given", caller, getmetatable(model).name, stage)
  end
  self.loggers = type(self.options.logger) == "table" and self.options.logger or {}
  if given.ckpt_path then TrainingState(self):load_model(given.ckpt_path) end
  local limit = batches.limited(caller, kLimits[stage], self.options[kLimits[stage]], loader)
  self.call("setup", caller)
  local results = with_modes(self, function()
    return evaluation_loop.run(self, stage, loader, limit)
  end)
  self.call("teardown", caller)
  if self.data_module then self.data_module:teardown(caller) end
  if stage == "predict" then return results end
  self:log_metrics(results)
  local names = History.names {results}
  if #names > 0 then self:print(History.table_of(names, {results})) end
  return results
end

--- Runs validation. Returns, as numbers by name, and prints the values logged by validation_step, or the loss and
--- metrics.
---@param model module  a tide.training.Module, or any network if loss is given
---@param loader any  the batches: a loader, a list, or a DataModule
---@param ckpt_path string = nil  the checkpoint to load: a path, "last" or "best"
---@param loss function = nil  loss(output, target), for a network without training_step
---@param metrics table = nil  metrics by name
---@waits for the results at the end
---@see trainer:fit trainer:test trainer:predict
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- local results = trainer:validate(net, loader, {loss = F.cross_entropy})
--- results.val_loss > 0 --> true
local read_validate = reader "trainer:validate"

function Trainer:validate(...) return evaluate(self, "validate", "validation", read_validate(self, ...)) end

--- Like validate, with test_step.
---@like trainer:validate
---@see trainer:fit trainer:validate trainer:predict
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- local results = trainer:test(net, loader, {loss = F.cross_entropy})
--- results.test_loss > 0 --> true
local read_test = reader "trainer:test"

function Trainer:test(...) return evaluate(self, "test", "test", read_test(self, ...)) end

--- A list of the outputs of predict_step, or of forward if there is none, for each batch.
---@param model module  a tide.training.Module, or any network if loss is given
---@param loader any  the batches: a loader, a list, or a DataModule
---@param ckpt_path string = nil  the checkpoint to load: a path, "last" or "best"
---@waits for the results at the end
---@see trainer:fit trainer:validate trainer:test
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- #trainer:predict(net, loader) --> 2
local read_predict = reader "trainer:predict"

function Trainer:predict(...) return evaluate(self, "predict", "predict", read_predict(self, ...)) end

--- In a hook: saves the training to a file, which fit can resume by ckpt_path; waits.
---@param path string  name of the file
---@example
--- local path = tide.scratch() .. "/net"
--- local saver = {on_advance_end = function(_, trainer) trainer:save_checkpoint(path) end}
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, callbacks = {saver}}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- os.remove(path) --> true
function Trainer:save_checkpoint(path)
  if not self.state or not self.loop then
    raise('save_checkpoint: no training is running: call it in a hook such as on_train_epoch_end; to save a ' ..
      'trained model, use tide.save(model, "model.pt")')
  end
  self:check_finite()
  self.state:write(path)
end

methods(Trainer, "trainer", {fit = true, validate = true, test = true, predict = true})

function Trainer:__tostring() return ("Trainer(%s)"):format(tostring(self.device)) end

--- Trains, validates and tests modules. Options set how long, on which device, on how much of the data, and what is
--- written. Without default_root_dir no files are written.
---@like training.Trainer
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- #history --> 2
return Trainer -- "tide.Trainer"
