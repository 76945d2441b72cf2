-- tide.Trainer: its options, hooks, callbacks, logs and results.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local small = dofile(here .. "/../support/small_training.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")
local F, nn, training = tide.nn.functional, tide.nn, tide.training

local function sgd(net, rate) return tide.optim.SGD(net:parameters(), {lr = rate or 0.1}) end

--- Trains a small network; returns the trainer, the history and the network.
local function fit(options, given)
  tide.manual_seed(3)
  local train, validation = small.loaders()
  local net, trainer = small.network(), small.trainer(options)
  local all = {loss = F.cross_entropy, optimizer = sgd(net), validation = validation}
  for name, value in pairs(given or {}) do all[name] = value end
  return trainer, trainer:fit(net, train, all), net
end

local Net = tide.class("Net", training.Module)
function Net:init() self.body = nn.Linear(4, 2) end
function Net:forward(x) return self.body(x) end
function Net:training_step(batch) return F.cross_entropy(self(batch[1]), batch[2]) end
function Net:configure_optimizers() return sgd(self) end

describe("tide.Trainer", function()
  it("stops where its options say", function()
    local function counted(options)
      local trainer, history = fit(options)
      return {trainer.current_epoch, trainer.global_step, #history}
    end
    equal(counted {max_epochs = 2}, {2, 10, 2})
    equal(counted {max_steps = 7}, {2, 7, 2})
    equal(counted {max_epochs = 3, limit_train_batches = 2}, {3, 6, 3})
    equal(counted {max_epochs = 3, limit_train_batches = 0.6}, {3, 9, 3})
    equal(counted {max_epochs = 2, accumulate_grad_batches = 2}, {2, 6, 2})
    equal(counted {fast_dev_run = true}, {1, 1, 1})
    equal(counted {fast_dev_run = 3, max_epochs = 7}, {1, 3, 1})
    equal(counted {max_epochs = 2, overfit_batches = 2}, {2, 4, 2})
    equal(counted {max_time = 1e-9}, {1, 1, 1})
    equal(counted {max_time = "00:00:00:00", max_epochs = 1}, {1, 1, 1})
    local early = {on_advance_end = function(_, trainer) trainer.should_stop = true end}
    equal(counted {max_epochs = 5, callbacks = {early}}, {1, 1, 1})
    equal(counted {max_epochs = 5, min_epochs = 2, callbacks = {early}}, {2, 10, 2})
    equal(counted {max_epochs = 5, min_steps = 3, callbacks = {early}}, {1, 3, 1})
  end)
  it("validates as its options say", function()
    local function places(options)
      local list = {}
      options.callbacks = {{on_validation_start = function(_,
        trainer) list[#list + 1] = trainer.global_step end}}
      fit(options)
      return list
    end
    equal(places {max_epochs = 2, num_sanity_val_steps = 0}, {5, 10})
    equal(places {max_epochs = 1}, {0, 5})
    equal(places {max_epochs = 2, val_check_interval = 2, num_sanity_val_steps = 0}, {2, 4, 7, 9})
    equal(places {max_epochs = 1, val_check_interval = 0.4, num_sanity_val_steps = 0}, {2, 4})
    equal(places {max_epochs = 4, check_val_every_n_epoch = 2, num_sanity_val_steps = 0}, {10, 20})
    equal(places {max_epochs = 2, limit_val_batches = 0}, {})
  end)
  it("returns the means of the epoch as numbers", function()
    local trainer, history, net = fit({max_epochs = 1, limit_train_batches = 3}, {
      metrics = {accuracy = tide.metrics.Accuracy(),
        ones = function(outputs) return outputs:sum() * 0 + 1 end},
    })
    local row = history[1]
    equal({row.epoch, row.ones, row.val_ones}, {1, 1.0, 1.0})
    local dataset = small.dataset(30)
    net:eval()
    local x, y = dataset:get_batch(tide.range(1, 30))
    local outputs = tide.no_grad(net, x)
    close(row.val_loss, F.cross_entropy(outputs, y):item(), {rtol = 1e-6})
    close(row.val_accuracy, outputs:argmax(2):eq(y):to("float64"):mean():item())
    equal(trainer.callback_metrics.val_loss, row.val_loss)
    equal(tostring(history):match "^[^\n]*",
      "epoch    loss  accuracy    ones  val_accuracy  val_loss  val_ones  seconds")
  end)
  it("restores modes, and random numbers after validation", function()
    local _, _, net = fit {max_epochs = 1}
    equal(net.training, true)
    net:eval()
    local modes
    small.trainer({max_epochs = 1,
      callbacks = {{on_train_batch_end = function() modes = net.training end}}})
      :fit(net, (small.loaders()), {loss = F.cross_entropy, optimizer = sgd(net)})
    equal({modes, net.training}, {true, false})
  end)
  it("calls hooks in their order", function()
    local names = {}
    local Spied = tide.class("Spied", Net)
    local callback = {}
    for name in pairs(require("tide.training.hooks").names) do
      Spied[name] = function() names[#names + 1] = name end
      callback[name] = function(_, trainer, module)
        test.is_true(rawequal(module.trainer, trainer))
        names[#names + 1] = "callback " .. name
      end
    end
    function Spied:validation_step(batch) return self:training_step(batch) end
    local train, validation = small.loaders()
    small.trainer {max_epochs = 1, limit_train_batches = 1, limit_val_batches = 1,
      num_sanity_val_steps = 0,
      callbacks = {callback}}:fit(Spied(), train, validation)
    local expected = {}
    for name in ([[setup on_fit_start on_train_start on_train_epoch_start on_train_batch_start on_before_zero_grad
      on_before_backward on_after_backward on_before_optimizer_step on_train_batch_end on_validation_start
      on_validation_epoch_start on_validation_batch_start on_validation_batch_end on_validation_epoch_end
      on_validation_end on_train_epoch_end on_advance_end on_train_end on_fit_end teardown]]):gmatch "%S+" do
      expected[#expected + 1] = "callback " .. name
      expected[#expected + 1] = name
    end
    equal(names, expected)
  end)
  it("does not read values in a step", function()
    tide.manual_seed(3)
    local net = small.network()
    local train = small.loaders()
    local inside = {}
    small.trainer({max_epochs = 2, callbacks = {
      {
        on_train_batch_start = function() inside[#inside + 1] = -tide.wait_count() end,
        on_advance_end = function(_, _, _, done)
          if not done.epoch_ended then inside[#inside] = inside[#inside] + tide.wait_count() end
        end,
      },
    }, accumulate_grad_batches = 2, gradient_clip_val = 1.0}):fit(net, train, {
      loss = F.cross_entropy, optimizer = sgd(net), metrics = {accuracy = tide.metrics.Accuracy()},
    })
    for i, waits in ipairs(inside) do
      if i % 5 ~= 0 then equal(waits, 0) end
    end
    equal(#inside, 10)
  end)
end)

describe("training.Module", function()
  it("logs values of steps and means of epochs", function()
    local Logged = tide.class("Logged", Net)
    function Logged:training_step(batch, i)
      local loss = F.cross_entropy(self(batch[1]), batch[2])
      self:log("i", i)
      self:log_dict({mean = i, both = i}, {on_epoch = true, on_step = true, batch_size = 1})
      return {loss = loss, other = 1}
    end
    function Logged:validation_step(_, i) self:log("val_i", i, {batch_size = i}) end
    function Logged:on_train_epoch_end() self:log("end", 7) end
    local train, validation = small.loaders()
    local trainer = small.trainer {max_epochs = 1, num_sanity_val_steps = 0}
    local row = trainer:fit(Logged(), train, validation)[1]
    equal({row.mean, row.both, row["end"], row.val_i, row.i}, {3.0, 3.0, 7.0, 14 / 6, nil})
    equal({trainer.callback_metrics.i, trainer.callback_metrics.mean_step}, {5, 5})
  end)
  it("shows the metrics of an epoch to the hook at its end", function()
    local net, found = Net(), {}
    local trainer = small.trainer {
      max_epochs = 2,
      callbacks = {{
        on_train_epoch_end = function(_, own) found[#found + 1] = own.callback_metrics.loss end,
      }},
    }
    local history = trainer:fit(net, (small.loaders()))
    equal(found, {history[1].loss, history[2].loss})
    test.is_true(found[1] ~= found[2])
  end)
  it("is validated, tested and used for predictions", function()
    local Full = tide.class("Full", Net)
    function Full:test_step(batch) self:log("right",
      self(batch[1]):argmax(2):eq(batch[2]):to("float32"):mean()) end
    local net, trainer, _, loader = Full(), small.trainer {}, small.loaders()
    local outputs = trainer:predict(net, loader)
    equal({#outputs, outputs[1].requires_grad, outputs[3].shape}, {3, false, {10, 2}})
    local x, y = small.dataset(30):get_batch(tide.range(1, 30))
    close(trainer:test(net, loader).right, net(x):argmax(2):eq(y):to("float64"):mean():item(),
      {rtol = 1e-6})
    raises("validate: Full has no validation_step and no loss is given", trainer.validate, trainer,
      net, loader)
    close(trainer:validate(net, loader, {loss = F.cross_entropy}).val_loss,
      F.cross_entropy(net(x), y):item(),
      {rtol = 1e-6})
    raises("log: no Trainer runs this module", net.log, net, "x", 1)
  end)
  it("takes its loaders from a data module", function()
    local Data, stages = tide.class("Data", training.DataModule), {}
    function Data:setup(stage) stages[#stages + 1] = stage end
    function Data:teardown(stage) stages[#stages + 1] = "end of " .. stage end
    function Data:train_dataloader() return (small.loaders()) end
    function Data:predict_dataloader() return (small.loaders()) end
    local trainer, data = small.trainer {max_epochs = 1}, Data()
    trainer:fit(Net(), data)
    equal({trainer.global_step, #trainer:predict(Net(), data)}, {5, 5})
    equal(stages, {"fit", "end of fit", "predict", "end of predict"})
  end)
end)

describe("callbacks", function()
  local folder = own_folder()
  --- The epochs of a training whose validation losses are these.
  local function epochs(options, losses)
    local epoch = 0
    local trainer = fit({max_epochs = 20, limit_train_batches = 1, num_sanity_val_steps = 0,
      callbacks = {
      training.EarlyStopping(options),
    }}, {loss = function(outputs)
      if tide.is_grad_enabled() then
        epoch = epoch + 1
        return outputs:sum() * 0
      end
      return outputs:sum() * 0 + (losses[epoch] or 0)
    end})
    return trainer.current_epoch
  end
  it("stop early", function()
    local losses = {5, 4, 4.5, 4.2, 3, 3.5, 3.4, 3.3, 3.2, 3.1}
    equal(epochs({monitor = "val_loss", patience = 2}, losses), 4)
    equal(epochs({monitor = "val_loss", patience = 3}, losses), 8)
    equal(epochs({monitor = "val_loss", patience = 1, min_delta = 2}, losses), 2)
    equal(epochs({monitor = "val_loss", patience = 2, mode = "max"}, losses), 3)
    equal(epochs({monitor = "val_loss", patience = 9, stopping_threshold = 3.5}, losses), 5)
    equal(epochs({monitor = "val_loss", patience = 9, divergence_threshold = 4.3}, losses), 1)
    equal(epochs({monitor = "val_loss"}, {1, 0 / 0}), 2)
  end)
  it("keep the best and the newest checkpoints", function()
    local checkpoint = training.ModelCheckpoint {dirpath = folder() .. "/own", monitor = "val_loss",
      save_top_k = 2}
    local losses, epoch = {3, 1, 2, 4, 5}, 0
    local trainer, _, net = fit({max_epochs = 5, limit_train_batches = 1, num_sanity_val_steps = 0,
      callbacks = {checkpoint}}, {loss = function(outputs)
        if tide.is_grad_enabled() then epoch = epoch + 1 end
        return outputs:sum() * 0 + losses[epoch]
      end})
    local kept = {}
    for i, entry in ipairs(checkpoint.manager:checkpoints()) do kept[i] = entry.metric end
    equal(kept, {1.0, 2.0, 5.0})
    test.is_true(checkpoint:best_path():find("checkpoint-000002", 1, true))
    local weight = net[1].weight:detach():clone()
    tide.no_grad(function() net[1].weight:fill_(0) end)
    local _, loader = small.loaders()
    trainer:validate(net, loader, {loss = F.cross_entropy, ckpt_path = "best"})
    test.identical(net[1].weight:detach(), weight)
  end)
  it("average weights", function()
    local weights = {}
    local seen
    local own = {
      on_train_batch_end = function(_, _,
        net) weights[#weights + 1] = net[1].weight:detach():clone() end,
      on_validation_batch_start = function(_, _, net) seen = net[1].weight:detach():clone() end,
    }
    local _, _, net = fit {max_epochs = 1,
      callbacks = {own, training.ExponentialMovingAverage {decay = 0.5}}}
    local mean = tide.manual_seed(3) or small.network()[1].weight:detach()
    for _, weight in ipairs(weights) do mean = mean * 0.5 + weight * 0.5 end
    close(seen, mean, {rtol = 1e-6})
    close(net[1].weight:detach(), mean, {rtol = 1e-6})
    weights = {}
    _, _, net = fit {max_epochs = 4, callbacks = {
      own, training.StochasticWeightAveraging {swa_lrs = 0.01, swa_epoch_start = 0.5,
        annealing_epochs = 1},
    }}
    close(net[1].weight:detach(), (weights[15] + weights[20]) / 2, {rtol = 1e-6})
    equal(net[2].num_batches_tracked:item(), 5)
  end)
  it("change the number of accumulated batches", function()
    local trainer = fit {max_epochs = 3, callbacks = {
      training.GradientAccumulationScheduler {scheduling = {[2] = 5}},
    }}
    equal(trainer.global_step, 7)
  end)
  it("log to files, as the trainer does", function()
    local root = folder() .. "/runs"
    local trainer = fit {max_epochs = 2, default_root_dir = root, log_every_n_steps = 2,
      callbacks = {training.LearningRateMonitor {logging_interval = "step"}}}
    equal(trainer.log_dir, root .. "/version_0")
    local lines = {}
    for line in io.lines(root .. "/version_0/metrics.csv") do lines[#lines + 1] = line end
    equal(lines[1], "epoch,loss,loss_step,lr,step,val_loss")
    local steps = {}
    for i = 2, #lines do steps[i - 1] = lines[i]:match "^[^,]*,[^,]*,[^,]*,[^,]*,(%d+)" end
    equal(steps, {"2", "4", "5", "6", "8", "10"})
    local pipe <close> = io.popen(("ls '%s/version_0'"):format(root))
    local events = tide.loggers.read_events(("%s/version_0/%s"):format(root,
      pipe:read "a":match "events[^\n]*"))
    local tags = {}
    for _, event in ipairs(events) do tags[event.tag] = (tags[event.tag] or 0) + 1 end
    equal({tags.loss, tags.val_loss, tags.loss_step, tags.lr}, {2, 2, 5, 5})
    fit {max_epochs = 1, default_root_dir = root, logger = false, enable_checkpointing = false}
    equal(#(io.popen(("ls -A '%s/version_1'"):format(root)):read "a"), 0)
  end)
end)

describe("lr_find", function()
  it("suggests a learning rate and restores all state", function()
    tide.manual_seed(3)
    local net, loader = small.network(), (small.loaders())
    local optimizer = sgd(net, 0.5)
    local before, random = net:clone():state_dict(), tide.get_rng_state()
    local found = training.lr_find(small.trainer {}, net, loader, {
      min_lr = 1e-4, max_lr = 100, num_training = 60,
      fit = {loss = F.cross_entropy, optimizer = optimizer},
    })
    small.identical(net:state_dict(), before)
    equal({optimizer.param_groups[1].lr, next(optimizer.state)}, {0.5, nil})
    equal({tide.get_rng_state().offset, #found.lrs}, {random.offset, #found.losses})
    close(found.lrs[2] / found.lrs[1], 1e6 ^ (1 / 59), {rtol = 1e-9})
    local rate = found:suggestion()
    test.is_true(rate > 1e-3 and rate < 100)
    raises("lr_find: expected 0 < min_lr < max_lr, got 1 and 0.1", training.lr_find,
      small.trainer {}, net, loader,
      {min_lr = 1.0, max_lr = 0.1})
  end)
end)
