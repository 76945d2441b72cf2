-- The reference of tide.training, tide.watch and tide.memory.
local kNet = "local path, net = os.tmpname(), tide.nn.Linear(2, 1); "
local kManager = kNet .. "local manager = tide.training.CheckpointManager(path, {model = net}, {keep = 1}); "

--- An example that ends with the removal of its files.
local function with_files(code, result)
  return kManager .. code .. "; " ..
    [[for _, file in ipairs(manager:checkpoints()) do os.remove(file.path) end; ]] ..
    [[os.remove(path); os.remove(path .. "-index.safetensors"); ]] .. result
end

-- A network, a loader of two batches, and a trainer that prints nothing.
local kParts = "local net = tide.nn.Linear(2, 2); local F = tide.nn.functional; " ..
  "local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}; "
local kOptimizer = "optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1})"
local kTrainer = "local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false"

--- An example of a training by a trainer with more options; `result` is shown.
local function trained(options, result, before, fit_options)
  return kParts .. (before or "") .. kTrainer .. options .. "}; local history = trainer:fit(net, loader, " ..
    "{loss = F.cross_entropy, " .. kOptimizer .. (fit_options or "") .. "}); " .. result
end

--- An example of a module with steps.
local function with_module(methods, result)
  return [[local Net = tide.class("Net", tide.training.Module); ]] ..
    "function Net:init() self.body = tide.nn.Linear(2, 2) end; " ..
    "function Net:forward(x) return self.body(x) end; " .. methods ..
    "function Net:configure_optimizers() return tide.optim.SGD(self:parameters(), {lr = 0.1}) end; " .. kParts ..
    kTrainer .. "}; net = Net(); trainer:fit(net, loader); " .. result
end

local kStep = "function Net:training_step(batch) return " ..
  "tide.nn.functional.cross_entropy(self(batch[1]), batch[2]) end; "
local kLogs = "function Net:training_step(batch) local loss = " ..
  [[tide.nn.functional.cross_entropy(self(batch[1]), batch[2]); self:log("figure", 3); return loss end; ]]

local kWatch = "local net = tide.nn.Sequential(tide.nn.Linear(2, 3), tide.nn.ReLU()); " ..
  "local w = tide.watch(net); "
local kWatched = kWatch .. "net(tide.ones(1, 2)):sum():backward(); w:step(); "

return {
  {
    title = "Methods of trainers",
    prefix = "trainer:",
    {"fit", "(model, train, validation?, {validation, epochs, ckpt_path, loss, optimizer, scheduler, metrics})",
      "Trains a tide.training.Module, or with loss and optimizer any network: a batch is inputs and, last, the " ..
        "target. Loaders are DataLoaders, lists of batches, or one DataModule. ckpt_path goes on with a training: a " ..
        "path, or \"last\" for the newest in default_root_dir. Returns a list with a table of figures for each " ..
        "epoch. Ctrl-C ends the running step, saves, and fit returns with trainer.interrupted = true",
      trained("", "history[2].epoch --> 2", nil,
        ", validation = loader, metrics = {accuracy = tide.metrics.Accuracy()}")},
    {"validate", "(model, loader, {ckpt_path, loss, metrics})",
      "What validation_step logs, or the loss and metrics, as numbers by name, which are printed too",
      trained("", "local figures = trainer:validate(net, loader, {loss = F.cross_entropy}); " ..
        "figures.val_loss > 0 --> true")},
    {"test", "(model, loader, {ckpt_path, loss, metrics})",
      "As validate, by test_step. ckpt_path is a path, \"last\" or \"best\"",
      trained("", "local figures = trainer:test(net, loader, {loss = F.cross_entropy}); " ..
        "figures.test_loss > 0 --> true")},
    {"predict", "(model, loader, {ckpt_path})",
      "A list of what predict_step, or without one forward, gives for each batch",
      trained("", "#trainer:predict(net, loader) --> 2")},
    {"save_checkpoint", "(path)", "In a hook: saves the training in a file, from which fit goes on by ckpt_path; waits",
      "local path = tide.scratch() .. \"/net\"; local saver = {on_advance_end = function(_, trainer) " ..
        "trainer:save_checkpoint(path) end}; " .. trained(", callbacks = {saver}", "os.remove(path) --> true")},
    {"log", "(name, value, {prog_bar, on_step, on_epoch, logger, batch_size})", "In a hook: logs as module:log does",
      "local own = {on_train_epoch_end = function(_, trainer) trainer:log(\"seven\", 7) end}; " ..
        trained(", callbacks = {own}", "history[1].seven --> 7.0")},
    {"log_metrics", "(values)", "Gives values to the loggers at the step where the training is",
      trained("", "trainer:log_metrics {loss = 0.5}")},
    {"print", "(text)", "In a hook: prints a line without damage to the progress bar",
      "local own = {on_train_end = function(_, trainer) trainer:print \"done\" end}; " ..
        trained(", callbacks = {own}", "#history --> 2")},
    {"check_finite", "()", "In a hook: raises an error if the loss was nan or infinite in this epoch; waits",
      "local own = {on_train_batch_end = function(_, trainer) trainer:check_finite() end}; " ..
        trained(", callbacks = {own}", "#history --> 2")},
  },
  {
    title = "Modules that are trained",
    prefix = "tide.training.",
    {"Module", "()",
      "The base of networks that say how they are trained: training_step(batch, i), which returns the loss or a " ..
        "table with field loss, validation_step, test_step, predict_step, and configure_optimizers, which returns " ..
        "an optimizer, an optimizer and a scheduler, or {optimizer =, lr_scheduler = {scheduler =, interval = " ..
        "\"epoch\" or \"step\", frequency =, monitor =}}. A batch of several values is a list of them. Hooks are " ..
        "methods: on_train_start, on_train_epoch_end, on_validation_batch_end, ...; see tide.training.Callback",
      with_module(kStep, "trainer.global_step --> 4")},
    {"DataModule", "()",
      "The base of what has all loaders of a training: prepare_data, setup(stage), train_dataloader, " ..
        "val_dataloader, test_dataloader, predict_dataloader, teardown(stage)",
      kParts .. [[local Data = tide.class("Data", tide.training.DataModule); ]] ..
        "function Data:predict_dataloader() return loader end; " .. kTrainer ..
        "}; #trainer:predict(net, Data()) --> 2"},
  },
  {
    title = "Methods of trained modules",
    prefix = "module:",
    {"log", "(name, value, {prog_bar, on_step, on_epoch, logger, batch_size})",
      "In a step or hook: logs a number, a tensor of one value, or a metric. In a training step the value itself, " ..
        "elsewhere its mean over the epoch, weighted by batch_size; on_step and on_epoch say otherwise. Does not wait",
      with_module(kLogs, "trainer.callback_metrics.figure --> 3")},
    {"log_dict", "(values, {prog_bar, on_step, on_epoch, logger, batch_size})", "Logs several values by name",
      with_module(kLogs:gsub("self:log%b()", "self:log_dict {figure = 3}"), "trainer.callback_metrics.figure --> 3")},
    {"optimizers", "()", "The list of the optimizer that configure_optimizers gave",
      with_module(kStep .. "function Net:on_train_end() self.rate = self:optimizers()[1].param_groups[1].lr end; ",
        "net.rate --> 0.1")},
    {"lr_schedulers", "()", "The list of the schedulers that configure_optimizers gave",
      with_module(kStep .. "function Net:on_train_end() self.count = #self:lr_schedulers() end; ", "net.count --> 0")},
  },
  {
    title = "Callbacks of trainings",
    prefix = "tide.training.",
    {"Callback", "()",
      "The base of callbacks, which a plain table may be too. Hooks get the trainer, the module and what is named: " ..
        "setup(stage), teardown(stage), on_fit_start, on_fit_end, on_train_start, on_train_end, " ..
        "on_train_epoch_start, on_train_epoch_end, on_train_batch_start(batch, i), on_train_batch_end(outputs, " ..
        "batch, i), on_before_zero_grad(optimizer), on_before_backward(loss), on_after_backward, " ..
        "on_before_optimizer_step(optimizer), on_sanity_check_start, on_sanity_check_end, " ..
        "on_save_checkpoint(table), on_load_checkpoint(table), on_exception(problem); on_validation_start, _end, " ..
        "_epoch_start, _epoch_end, _batch_start, _batch_end, and the same of test and predict. " ..
        "on_advance_end({stepped, validated, epoch_ended, stopping}) comes when all that follows a step is " ..
        "done. state_dict and load_state_dict are saved with a training",
      [[local Count = tide.class("Count", tide.training.Callback); ]] ..
        "function Count:init() self.batches = 0 end; " ..
        "function Count:on_train_batch_end() self.batches = self.batches + 1 end; local count = Count(); " ..
        trained(", callbacks = {count}", "count.batches --> 4")},
  },
  {
    title = "Checkpoints",
    prefix = "tide.training.",
    {"CheckpointManager", "(path, objects, {keep, keep_best, mode})",
      "Saves a training in files PATH-000001.safetensors and so on, in a folder that exists, and goes on with " ..
        "it bit for bit. objects: {name = what has state_dict, or a generator}; a loader keeps its place in a pass. " ..
        "The last `keep` (3) files are kept, and the `keep_best` (1) of the best metric, the least or with mode = " ..
        "\"max\" the greatest. Whenever the program is killed, the newest file is whole",
      with_files("manager:save({epoch = 3}); local values = manager:restore()", "values --> {epoch = 3}")},
  },
  {
    title = "Methods of checkpoint managers",
    prefix = "manager:",
    {"save", "(values?, metric?)",
      "Saves the objects, the default generator of random numbers and a table of plain values; gives the path. " ..
        "The generator of math.random cannot be saved; waits",
      with_files("manager:save({epoch = 1}, 0.5)", "manager:checkpoints()[1].metric --> 0.5")},
    {"restore", "(which?)",
      "Restores the objects and the default generator from the last checkpoint, the \"best\", or one by number. " ..
        "Gives the values and {number, metric, path}; nil if there is none. A file that is cut short or damaged in " ..
        "its form is named in a warning, and the one before is taken; values of elements are not checked",
      with_files("manager:save({epoch = 1}); manager:save({epoch = 2}); local values = manager:restore()",
        "values --> {epoch = 2}")},
    {"checkpoints", "()", "A list of {number, metric, path, best} of the files that are kept, the oldest first",
      with_files("manager:save(); manager:save(); local list = manager:checkpoints()", "#list --> 1")},
    {"write", "(path)", "Writes one file, which is not in the list; waits",
      with_files("manager:write(path); manager:restore_file(path)", "#manager:checkpoints() --> 0")},
    {"restore_file", "(path)", "Restores the objects and the default generator from one file; gives the values saved",
      with_files("manager:write(path); local values = manager:restore_file(path)", "values --> {}")},
  },
  {
    title = "Methods of watches",
    prefix = "watch:",
    {"step", "()", "Ends a step, where no optimizer was given: behind its step, while the gradients are there",
      kWatch .. "w:step(); tostring(w) --> \"watch of Sequential: no step yet\""},
    {"table", "()", "The newest sample: a list of rows {step, kind, layer, class, name, parameter, number, line, " ..
        "size, mean, std, min, max, zeros, nan, inf, units, dead, ratio}; kind is input, activation, parameter, " ..
        "gradient or update, number that of an output of a module that gave several. Waits once",
      kWatched .. "w:table()[1].kind --> \"input\""},
    {"rows", "()", "The rows of all samples that are kept, oldest first, as for a plot. Waits once",
      kWatched .. "w:rows()[2].layer --> \"net[1]\""},
    {"log", "(logger, step?)", "Logs the newest sample by tags such as gradient/0.weight/std, at its step or another",
      kWatched .. "local tags = 0; w:log({log_metrics = function(_, metrics) for _ in pairs(metrics) do tags = tags " ..
        "+ 1 end end}); tags --> 66"},
    {"first_nonfinite", "()", "What was nan or infinite first: {step, kind, layer, class, parameters, line, " ..
        "text}, or nil. Waits once",
      kWatch .. "net(tide.full({1, 2}, 0 / 0)); w:first_nonfinite().text --> " ..
        "\"the input of net (Sequential) has nan or infinite values\""},
    {"register_hook", "(fn)", "Calls fn(w) behind each step that was looked at; returns a function that takes the " ..
        "hook away", kWatch .. "local remove = w:register_hook(function(watch) end); remove()"},
    {"close", "()", "Ends the watch; what was seen stays. Shows a live plot and returns its figure. A local <close> does " ..
        "so by itself", kWatch .. "w:close()"},
  },
  {
    title = "Who holds memory",
    prefix = "tide.memory.",
    {"diff", "(a, b)",
      "What grew between two snapshots of a device: allocated, and holders by line; what is held no more is negative",
      "local a = tide.memory.snapshot(); local x = tide.ones(1000); " ..
        "tide.memory.diff(a, tide.memory.snapshot()).holders[1].names[1] --> \"x\""},
  },
}
