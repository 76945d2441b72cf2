-- tide.Trainer's errors: common mistakes, bad data, nonfinite losses.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local small = dofile(here .. "/../support/small_training.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")
local F, nn, training = tide.nn.functional, tide.nn, tide.training

local function sgd(net, rate) return tide.optim.SGD(net:parameters(), {lr = rate or 0.1}) end

--- Asserts that a training raises an error; `given` are options of fit, `options` of the trainer.
local function refuses(message, given, options, loader)
  local net = small.network()
  local all = {loss = F.cross_entropy, optimizer = sgd(net)}
  for name, value in pairs(given) do all[name] = value or nil end
  for name, value in pairs(all) do
    if value == "none" then all[name] = nil end
  end
  options = options or {max_epochs = 1}
  local trainer = small.trainer(options)
  return raises(message, trainer.fit, trainer, net, loader or (small.loaders()), all)
end

describe("tide.Trainer", function()
  it("checks its options", function()
    for message, options in pairs {
      ["Trainer: unknown option 'max_epoch'; did you mean 'max_epochs'?"] = {max_epoch = 3},
      ["Trainer: unknown option 'accelerator'; did you mean 'device'?"] = {accelerator = "gpu"},
      ["Trainer: unknown option 'xyzzy': known are accumulate_grad_batches, "] = {xyzzy = 1},
      ["Trainer: max_epochs must be positive, got 0"] = {max_epochs = 0},
      ['Trainer: precision must be "32", "16-mixed" or "bf16-mixed", got "half"'] = {precision = "half"},
      ["Trainer: limit_val_batches: expected an integer number of batches, or a fraction as a float from"] = {
        limit_val_batches = 1.5,
      },
      ["Trainer: gradient_clip_val must be positive, got -1"] = {gradient_clip_val = -1},
      ["Trainer: max_time: expected \"DD:HH:MM:SS\", seconds, or {hours = 1, minutes = 30}, got 'long'"] = {
        max_time = "long",
      },
      ["Trainer: max_time.weeks: expected days, hours, minutes or seconds"] = {max_time = {weeks = 1}},
      ["Trainer: logger: expected true, false, a logger or a list of them"] = {logger = {3}},
      ["Trainer: option 'enable_progress_bar': expected boolean, got number"] = {enable_progress_bar = 1},
    } do
      raises(message, tide.Trainer, options)
    end
    raises("Trainer: expected a table of options, got integer", tide.Trainer, 3)
    raises("EarlyStopping: argument 1 (monitor): expected string, got nothing", training.EarlyStopping)
    raises("EarlyStopping: mode must be \"min\" or \"max\", got \"least\"", training.EarlyStopping,
      {monitor = "x", mode = "least"})
    raises("ModelCheckpoint: unknown option 'monitr'", training.ModelCheckpoint, {monitr = "x"})
    raises("GradientAccumulationScheduler: the number of batches must be positive, got 0",
      training.GradientAccumulationScheduler, {scheduling = {[1] = 0}})
  end)
  it("reports missing arguments of fit", function()
    refuses("fit: Sequential has no training_step and no loss is given: pass {loss = ",
      {loss = "none"})
    refuses("fit: option 'loss': expected function, got string",
      {loss = "mse"})
    refuses("fit: optimizer is missing", {optimizer = "none"})
    refuses("fit: option 'optimizer': expected optimizer, got number",
      {optimizer = 3})
    refuses("configure_optimizers: none of the optimizer's parameters belongs to the model",
      {optimizer = sgd(nn.Linear(1, 1))})
    refuses("fit: unknown option 'optimiser'; did you mean 'optimizer'?", {optimiser = 1})
    refuses("fit: metrics: expected {accuracy = tide.metrics.Accuracy()}, got integer under a",
      {metrics = {a = 3}})
    refuses("fit: no stopping condition: pass epochs, or set max_epochs, max_steps or max_time", {},
      {})
    refuses("configure_optimizers: ReduceLROnPlateau needs the name of the value to monitor", {
      scheduler = tide.optim.lr_scheduler.ReduceLROnPlateau(sgd(nn.Linear(1, 1))),
    })
    refuses("ReduceLROnPlateau: monitor: no value 'val_los' was logged; logged values: loss", {
      scheduler = {scheduler = tide.optim.lr_scheduler.ReduceLROnPlateau(sgd(nn.Linear(1, 1))),
        monitor = "val_los"},
    })
    refuses("configure_optimizers: schedule: unknown option 'intervall'; did you mean 'interval'?",
      {
      scheduler = {scheduler = tide.optim.lr_scheduler.StepLR(sgd(nn.Linear(1, 1)), 1),
        intervall = "step"},
    })
    refuses("EarlyStopping: monitor: no value 'val_loss' was logged; logged values: loss", {},
      {max_epochs = 1, callbacks = {training.EarlyStopping {monitor = "val_loss"}}})
    refuses("ModelCheckpoint: no folder to save to: set dirpath, or default_root_dir", {},
      {max_epochs = 1, callbacks = {training.ModelCheckpoint()}})
    refuses("fit: val_check_interval: 9 of 5 batches is not within an epoch",
      {validation = small.loaders()},
      {max_epochs = 1, val_check_interval = 9})
    refuses("Trainer: table: unknown hook 'on_train_epoch_ends'; did you mean 'on_train_epoch_end'?", {},
      {max_epochs = 1, callbacks = {{on_train_epoch_ends = print}}})
    refuses("LearningRateMonitor: no logger", {},
      {max_epochs = 1, callbacks = {training.LearningRateMonitor()}})
  end)
  it("reports bad data", function()
    refuses("fit: nothing to train on: the loader is empty", {}, nil, {})
    refuses("fit: train: expected a DataLoader or a list of batches, got integer", {}, nil, 3)
    refuses("fit: train: this is a dataset: pass tide.data.DataLoader(dataset, {batch_size = 32})",
      {}, nil,
      small.dataset(3))
    refuses("fit: a batch has 1 value, expected inputs and a target", {}, nil, {tide.ones(2, 4)})
    refuses("fit: the validation loader is empty", {validation = {}})
    refuses("fit: limit_val_batches = 0.1 selects no batch out of 3",
      {validation = select(2, small.loaders())},
      {max_epochs = 1, limit_val_batches = 0.1})
    refuses("fit: limit_train_batches = 0.1 selects no batch out of 5", {}, {max_epochs = 1, limit_train_batches = 0.1})
    local Raising = tide.class("Raising", tide.data.Dataset)
    function Raising:len() return 4 end
    function Raising:get(i)
      if i == 3 then error "sample 3 is broken" end
      return {tide.ones(4), 1}
    end
    refuses("sample 3 is broken (epoch 1, batch 2)", {}, nil, tide.data.DataLoader(Raising(), {batch_size = 2}))
    refuses("sample 1, [1] is a tensor of shape (4), sample 2, [1] is a tensor of shape (3)", {}, nil, tide.data.DataLoader({{tide.ones(4), 1}, {tide.ones(3), 1}},
      {batch_size = 2}))
  end)
  it("names the epoch for errors found on the device", function()
    local classes, net = tide.ones(8, {dtype = "int64"}), nn.Linear(4, 3)
    classes[7] = 9
    local loader = tide.data.DataLoader(tide.data.TensorDataset(tide.ones(8, 4), classes), {batch_size = 2})
    local trainer = small.trainer {max_epochs = 2}
    raises("(epoch 1, one of 4 batches)", trainer.fit, trainer, net, loader,
      {loss = nn.functional.cross_entropy, optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1})})
  end)
  it("reports wrong steps", function()
    local function of(step, validation)
      local Net = tide.class("Net", training.Module)
      function Net:init() self.body = nn.Linear(4, 2) end
      Net.training_step, Net.validation_step = step, validation
      function Net:configure_optimizers() return sgd(self) end
      local train, loader = small.loaders()
      local trainer = small.trainer {max_epochs = 1}
      return trainer.fit, trainer, Net(), train, validation and loader
    end
    local function right(self, batch) return F.cross_entropy(self.body(batch[1]), batch[2]) end
    raises("training_step: must return the loss, a tensor, or a table with field loss, got nil",
      of(function() end))
    raises("training_step: must return the loss, a tensor, or a table with field loss, got a table without loss",
      of(function() return {los = 1} end))
    raises("training_step: the loss must be a single value, got shape (6): use its mean or sum",
      of(function(self, batch) return F.cross_entropy(self.body(batch[1]), batch[2],
        {reduction = "none"}) end))
    raises("log: x: expected a single value, got shape (2)",
      of(function(self) self:log("x", tide.ones(2)) end))
    raises("log: unknown option 'on_epochs'; did you mean 'on_epoch'?",
      of(function(self) self:log("x", 1, {on_epochs = true}) end))
    raises("log: argument 2 (value): expected number, boolean, tensor or metric, got string",
      of(function(self) self:log("x", "y") end))
    raises("in the step", of(right, function() error "in the step" end))
    raises("in the second step (epoch 1, batch 2)", of(function(self, batch, i)
      if i == 2 then error "in the second step" end
      return right(self, batch)
    end))
    local trainer = small.trainer {max_epochs = 1}
    for _ = 1, 2 do -- before and after fit
      raises("save_checkpoint: no training is running: call it in a hook such as on_train_epoch_end; to save a " ..
        'trained model, use tide.save(model, "model.pt")', trainer.save_checkpoint, trainer, "model.pt")
      local net = nn.Linear(4, 2)
      trainer:fit(net, select(1, small.loaders()), {loss = F.cross_entropy, optimizer = sgd(net)})
    end
    local trainer = small.trainer {max_epochs = 1}
    local Bare = tide.class("Bare", training.Module)
    Bare.training_step = right
    raises("fit: Bare has no configure_optimizers", trainer.fit, trainer, Bare(), (small.loaders()))
    raises("fit: argument 1 (model): expected module, got number", trainer.fit, trainer, 3, (small.loaders()))
  end)
  it("can be used again after an error", function()
    local trainer, net = small.trainer {max_epochs = 1}, small.network()
    local options = {loss = function() error "once" end, optimizer = sgd(net)}
    local seen
    trainer.callbacks[1] = {on_exception = function(_, _, _, problem) seen = problem end}
    raises("once", trainer.fit, trainer, net, (small.loaders()), options)
    test.is_true(seen:find "once")
    options.loss = F.cross_entropy
    equal(#trainer:fit(net, (small.loaders()), options), 1)
    equal(rawget(net, "trainer"), nil)
  end)
end)

describe("a loss that is nan or infinite", function()
  local folder = own_folder()
  --- A network whose second layer returns nan from step `from` on.
  local function breaking(from)
    local Break, step = tide.class("Break", nn.Module), 0
    function Break:forward(x)
      if tide.is_grad_enabled() then step = step + 1 end
      return step >= from and x / 0 - x / 0 or x
    end
    return nn.Sequential(nn.Linear(4, 8), Break(), nn.Linear(8, 2))
  end
  local function problem_of(net, loader, options, rate)
    options.max_epochs = options.max_epochs or 1
    local trainer = small.trainer(options)
    return select(2, pcall(trainer.fit, trainer, net, loader,
      {loss = F.cross_entropy, optimizer = sgd(net, rate)}))
  end
  local function has(text, part)
    if not text:find(part, 1, true) then error(("%q is not in %q"):format(part, text), 2) end
  end
  it("names the layer", function()
    local loader = {}
    for x, y in (small.loaders()):iter() do loader[#loader + 1] = {x, y} end
    local problem = problem_of(breaking(1), {loader[1]}, {})
    has(problem,
      "fit: the loss is nan or infinite since batch 1 of this training (noticed after epoch 1, batch 1): ")
    -- Its weights are nan after the step.
    has(problem,
      "net[1] (Linear 4 -> 8) has nan or infinite values in its weight and bias, from a step before")
    has(problem, "{detect_anomaly = true} stops at the op")
    local net = breaking(1)
    for _, parameter in ipairs {net[1].weight, net[1].bias} do parameter:requires_grad_(false) end
    has(problem_of(net, {loader[1]}, {}),
      "it first appears in the output of net[2] (Break), whose parameters are finite")
  end)
  it("names the batch, the parameters or the loss", function()
    local x, y = small.dataset(6):get_batch(tide.range(1, 6))
    x[2] = 0 / 0
    has(problem_of(small.network(), {{x, y}}, {}),
      "the batch itself contains nan or infinite values")
    local net = nn.Sequential(nn.Linear(4, 2))
    x, y = small.dataset(6):get_batch(tide.range(1, 6))
    has(problem_of(net, {{x, y}, {x, y}, {x, y}}, {}, 1 / 0),
      "net[1] (Linear 4 -> 2) has nan or infinite values")
    net = nn.Linear(4, 2)
    local trainer = small.trainer {max_epochs = 1}
    raises("all modules return finite outputs for this batch: it arises in the loss", trainer.fit,
      trainer, net, {{x, y}},
      {loss = function(outputs) return outputs:sum() * 0 - 1 / 0 end, optimizer = sgd(net)})
  end)
  it("keeps the last good checkpoint, and names its path", function()
    local root = folder() .. "/runs"
    local problem = problem_of(breaking(8), (small.loaders()),
      {max_epochs = 3, default_root_dir = root})
    has(problem, "since batch 8 of this training (noticed after epoch 2, batch 5)")
    local path = root .. "/version_0/checkpoint-000001.safetensors"
    has(problem, "; the last good checkpoint is " .. path)
    equal(tide.load(path).model["0.weight"]:isfinite():all():item(), true)
  end)
  it("stops at the op with detect_anomaly", function()
    local problem = problem_of(breaking(1), (small.loaders()), {detect_anomaly = true})
    has(problem, "detect_anomaly: the gradient of cross_entropy contains nan or infinity")
  end)
end)
