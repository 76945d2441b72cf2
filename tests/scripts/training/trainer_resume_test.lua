-- tide.Trainer: trainings that stop, are interrupted or killed, and go on.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local small = dofile(here .. "/../support/small_training.lua")
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")
local F, training = tide.nn.functional, tide.training
local schedules = tide.optim.lr_scheduler

--- The parts of a training in a folder: the trainer, the network, loaders, options of fit, the optimizer.
local function parts(root, way, options)
  tide.manual_seed(3)
  local train, validation = small.loaders()
  if way.lists then
    train, validation = {}, {}
    for x, y in (small.loaders()):iter() do train[#train + 1] = {x, y} end
    validation[1] = train[1]
  end
  local net = small.network()
  local optimizer = tide.optim.Adam(net:parameters(), {lr = 0.05})
  local all = {
    max_epochs = 3, default_root_dir = root, val_check_interval = way.val_check_interval, precision = way.precision,
    accumulate_grad_batches = way.accumulate, gradient_clip_val = 0.5,
    callbacks = {training.EarlyStopping {monitor = "val_loss", patience = 5}, table.unpack(way.callbacks())},
  }
  for name, value in pairs(options or {}) do all[name] = value end
  return small.trainer(all), net, train, validation, {
    loss = F.cross_entropy, optimizer = optimizer, metrics = {accuracy = tide.metrics.Accuracy()},
    scheduler = {scheduler = schedules.StepLR(optimizer, 4, 0.5), interval = "step"},
  }, optimizer
end

--- All that a training ends with.
local function ending(trainer, net, optimizer, history)
  return {
    net = net:state_dict(), optimizer = optimizer:state_dict(), history = history, random = tide.get_rng_state(),
    steps = trainer.global_step, epochs = trainer.current_epoch, metrics = trainer.callback_metrics,
    stopping = trainer.callbacks[1]:state_dict(),
  }
end

local function none() return {} end

local ways = {
  plain = {callbacks = none},
  ["validation in the middle of epochs"] = {val_check_interval = 2, callbacks = none},
  ["accumulated gradients"] = {accumulate = 2, val_check_interval = 2, callbacks = none},
  ["16-mixed"] = {precision = "16-mixed", callbacks = none},
  ["lists of batches"] = {lists = true, callbacks = none},
  ["means of weights"] = {
    callbacks = function()
      return {
        training.ExponentialMovingAverage {decay = 0.9}, training.GradientAccumulationScheduler {scheduling = {[2] = 2}},
        training.StochasticWeightAveraging {swa_lrs = 0.01, swa_epoch_start = 2, annealing_epochs = 2},
      }
    end,
  },
}

describe("a training by tide.Trainer that stops and goes on", function()
  local folder = own_folder()
  for name, way in pairs(ways) do
    it("has the same bits as one that never stopped: " .. name, function()
      local trainer, net, train, validation, options, optimizer = parts(nil, way)
      local whole = ending(trainer, net, optimizer, trainer:fit(net, train, validation, options))
      equal(#whole.history, 3)
      for stop = 1, trainer.global_step - 1, way.callbacks == none and 3 or 1 do
        local root = ("%s/%d"):format(folder(), stop)
        local first, its_net, its_train, its_validation, its_options = parts(root, way, {max_steps = stop})
        first:fit(its_net, its_train, its_validation, its_options)
        equal(first.global_step, stop)
        trainer, net, train, validation, options, optimizer = parts(root, way)
        tide.manual_seed(77)
        options.ckpt_path = "last"
        small.identical(ending(trainer, net, optimizer, trainer:fit(net, train, validation, options)), whole)
      end
    end)
  end
  it("goes on from a path, and keeps what its hooks save", function()
    local seen
    local Net = tide.class("Net", training.Module)
    function Net:init() self.body = tide.nn.Linear(4, 2) end
    function Net:training_step(batch) return F.cross_entropy(self.body(batch[1]), batch[2]) end
    function Net:configure_optimizers() return tide.optim.SGD(self:parameters(), {lr = 0.1}) end
    function Net:on_save_checkpoint(own) own.note = "kept" end
    function Net:on_load_checkpoint(own) seen = own.note end
    local path = folder() .. "/whole.safetensors"
    small.trainer {max_epochs = 1, callbacks = {
      {on_advance_end = function(_, trainer) if trainer.global_step == 3 then trainer:save_checkpoint(path) end end},
    }}:fit(Net(), (small.loaders()))
    local steps = 0
    local trainer = small.trainer {max_epochs = 1, callbacks = {{on_train_batch_end = function() steps = steps + 1 end}}}
    trainer:fit(Net(), (small.loaders()), {ckpt_path = path})
    equal({steps, trainer.global_step, seen}, {2, 5, "kept"})
    raises("no_such", function() trainer:fit(Net(), (small.loaders()), {ckpt_path = folder() .. "/no_such"}) end)
  end)
  it("starts anew where there is nothing to go on from, and only then", function()
    local root = folder() .. "/runs"
    local function fit(epochs)
      local trainer, net, train, validation, options = parts(root, ways.plain, {max_epochs = epochs})
      options.ckpt_path = "last"
      local history = trainer:fit(net, train, validation, options)
      return trainer.log_dir, #history, trainer.global_step
    end
    equal({fit(1)}, {root .. "/version_0", 1, 5})
    equal({fit(2)}, {root .. "/version_0", 2, 10})
    equal({fit(2)}, {root .. "/version_0", 2, 10})
  end)
end)

-- Ends from outside -------------------------------------------------------------------------------

--- The text of a script that trains until it is stopped, and goes on with what is there.
local function script(root, support)
  return ([[
    local small = dofile "%s/small_training.lua"
    tide.manual_seed(1)
    local train, validation = small.loaders()
    local net = small.network()
    local trainer = small.trainer {max_epochs = 100000, default_root_dir = "%s", logger = false,
      callbacks = {tide.training.ModelCheckpoint {every_n_train_steps = 3}, {
        on_train_batch_end = function(_, own)
          if own.global_step %% 5 == 4 then io.open("%s.started", "w"):close() end
        end,
      }}}
    trainer:fit(net, train, validation, {loss = tide.nn.functional.cross_entropy, ckpt_path = "last",
      optimizer = tide.optim.SGD(net:parameters(), {lr = 0.01})})
    print("goes on", trainer.interrupted, trainer.global_step)]]):format(support, root, root)
end

--- Starts a script, waits until it trains and for a while, and sends a signal.
local function signalled(path, root, signal, seconds)
  os.remove(root .. ".started")
  return run(path, ([[f() { "$@" & p=$!; while ! [ -e '%s.started' ] && kill -0 $p; ]] ..
    [[do sleep 0.01; done; sleep %g; kill -%s $p; wait $p; }; f]]):format(root, seconds, signal))
end

--- The step of the newest checkpoint of a run, which must load.
local function newest_step(root)
  return training.CheckpointManager(root .. "/version_0/checkpoint", {}):restore().global_step
end

describe("a training that is stopped from outside", function()
  local folder = own_folder()
  local root, path
  test.before_each(function()
    root, path = folder() .. "/runs", folder() .. "/train.lua"
    local file <close> = assert(io.open(path, "wb"))
    file:write(script(root, here .. "/../support"))
  end)
  it("leaves a checkpoint that loads when it is killed, whenever that is", function()
    local before = 0
    for i = 1, 5 do
      signalled(path, root, "KILL", 0.03 * i)
      local step = newest_step(root)
      test.is_true(step >= before and step > 0)
      before = step
    end
  end)
  it("ends the step, saves and lets the script go on when it is interrupted", function()
    local before = 0
    for _ = 1, 3 do
      local printed, ended = signalled(path, root, "INT", 0.2)
      equal(ended, true)
      test.is_true(printed:find("stopping after this step; Ctrl-C once more stops at once\n", 1, true))
      local file = printed:match "interrupted in epoch %d+ behind step %d+: go on from (%S+)\n"
      local step = math.tointeger(printed:match "goes on\ttrue\t(%d+)\n")
      equal(newest_step(root), step)
      test.is_true(step > before and io.open(file, "rb"):close())
      before = step
    end
  end)
end)

--- The text of a script that trains 3 epochs, sends itself an interrupt in the hook POINT the NUMBER-th time, and
--- prints what it ends with.
local function interrupting(root, support)
  return ([[
    local small = dofile "%s/small_training.lua"
    tide.manual_seed(1)
    local train, validation = small.loaders()
    local net, count, callback = small.network(), 0, {}
    if os.getenv "POINT" then
      callback[os.getenv "POINT"] = function()
        count = count + 1
        if count == tonumber(os.getenv "NUMBER") then io.popen("kill -INT $PPID"):close() end
      end
    end
    local trainer = small.trainer {max_epochs = 3, default_root_dir = os.getenv "POINT" and "%s" or nil,
      val_check_interval = 2, num_sanity_val_steps = 0, callbacks = {callback}, accumulate_grad_batches = 2}
    local history = trainer:fit(net, train, validation, {loss = tide.nn.functional.cross_entropy,
      ckpt_path = os.getenv "POINT" and "last" or nil, optimizer = tide.optim.SGD(net:parameters(), {lr = 0.01})})
    print(trainer.interrupted, trainer.global_step)
    for _, row in ipairs(history) do print(("%%a %%a"):format(row.loss, row.val_loss or 0)) end
    print(tide.get_rng_state().offset, ("%%a"):format(net[1].weight:square():sum():item()))]]):format(support, root)
end

describe("a training that is interrupted at some place", function()
  local folder = own_folder()
  it("goes on bit for bit", function()
    local path = folder() .. "/train.lua"
    local root = folder() .. "/runs"
    local file = assert(io.open(path, "wb"))
    file:write(interrupting(root, here .. "/../support"))
    file:close()
    local whole = run(path)
    test.is_true(whole:find("false\t9\n", 1, true))
    for point, number in pairs {
      on_train_batch_start = 4, on_before_optimizer_step = 3, on_validation_batch_start = 5, on_validation_end = 2,
      on_train_epoch_end = 1, on_after_backward = 1,
    } do
      os.execute(("rm -rf '%s'"):format(root))
      local before = ("POINT=%s NUMBER=%d"):format(point, number)
      local stopped, ended = run(path, before)
      if not (ended and stopped:find "true\t%d") then error(point .. ": " .. stopped) end
      equal(run(path, ("POINT=%s NUMBER=0"):format(point)), whole)
    end
  end)
end)

describe("a training that cannot save", function()
  local folder = own_folder()
  it("ends with the error, and keeps the checkpoint before", function()
    local root = folder() .. "/runs"
    local trainer, net, train, validation, options = parts(root, ways.plain)
    -- Behind the first epoch, the next files cannot be made.
    trainer.callbacks[#trainer.callbacks + 1] = {on_advance_end = function(_, own)
      if own.global_step == 5 then
        os.execute(("mkdir '%s/version_0/checkpoint-000002.safetensors'"):format(root))
      end
    end}
    raises("checkpoint-000002.safetensors", trainer.fit, trainer, net, train, validation, options)
    os.execute(("rmdir '%s/version_0/checkpoint-000002.safetensors'"):format(root))
    equal(newest_step(root), 5)
  end)
end)
