-- tide.Trainer: stopped and resumed trainings.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local small = dofile(here .. "/../support/small_training.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")
local F, training = tide.nn.functional, tide.training
local schedules = tide.optim.lr_scheduler

--- The parts of a training in a folder: the trainer, the network, loaders, options of fit, the
--- optimizer.
local function parts(root, way, options)
  tide.manual_seed(3)
  local train, validation = small.loaders()
  if way.lists then
    train, validation = {}, {}
    for x, y in (small.loaders()):iter() do train[#train + 1] = {x, y} end
    validation[1] = train[1]
  end
  if way.workers then train = small.loaders {num_workers = 2} end
  local net = small.network()
  local optimizer = tide.optim.Adam(net:parameters(), {lr = 0.05})
  local all = {
    max_epochs = 3, default_root_dir = root, val_check_interval = way.val_check_interval,
    precision = way.precision,
    accumulate_grad_batches = way.accumulate, gradient_clip_val = 0.5,
    callbacks = {training.EarlyStopping {monitor = "val_loss", patience = 5},
      table.unpack(way.callbacks())},
  }
  for name, value in pairs(options or {}) do all[name] = value end
  return small.trainer(all), net, train, validation, {
    loss = F.cross_entropy, optimizer = optimizer, metrics = {accuracy = tide.metrics.Accuracy()},
    scheduler = {scheduler = schedules.StepLR(optimizer, 4, 0.5), interval = "step"},
  }, optimizer
end

--- The final state of a training.
local function ending(trainer, net, optimizer, history)
  return {
    net = net:state_dict(), optimizer = optimizer:state_dict(), history = history,
    random = tide.get_rng_state(),
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
  ["workers that read the data"] = {workers = true, callbacks = none},
  ["lists of batches"] = {lists = true, callbacks = none},
  ["means of weights"] = {
    callbacks = function()
      return {
        training.ExponentialMovingAverage {decay = 0.9},
          training.GradientAccumulationScheduler {scheduling = {[2] = 2}},
        training.StochasticWeightAveraging {swa_lrs = 0.01, swa_epoch_start = 2,
          annealing_epochs = 2},
      }
    end,
  },
}

describe("a training by tide.Trainer that is stopped and resumed", function()
  local folder = own_folder()
  for name, way in pairs(ways) do
    it("has the same bits as one that never stopped: " .. name, function()
      local trainer, net, train, validation, options, optimizer = parts(nil, way)
      local whole = ending(trainer, net, optimizer, trainer:fit(net, train, validation, options))
      equal(#whole.history, 3)
      for stop = 1, trainer.global_step - 1, way.callbacks == none and 3 or 1 do
        local root = ("%s/%d"):format(folder(), stop)
        local first, its_net, its_train, its_validation,
          its_options = parts(root, way, {max_steps = stop})
        first:fit(its_net, its_train, its_validation, its_options)
        equal(first.global_step, stop)
        trainer, net, train, validation, options, optimizer = parts(root, way)
        tide.manual_seed(77)
        options.ckpt_path = "last"
        small.identical(ending(trainer, net, optimizer,
          trainer:fit(net, train, validation, options)), whole)
      end
    end)
  end
  it("resumes from a path, and keeps the state saved by hooks", function()
    local seen
    local Net = tide.class("Net", training.Module)
    function Net:init() self.body = tide.nn.Linear(4, 2) end
    function Net:training_step(batch) return F.cross_entropy(self.body(batch[1]), batch[2]) end
    function Net:configure_optimizers() return tide.optim.SGD(self:parameters(), {lr = 0.1}) end
    function Net:on_save_checkpoint(own) own.note = "kept" end
    function Net:on_load_checkpoint(own) seen = own.note end
    local path = folder() .. "/whole.safetensors"
    small.trainer {max_epochs = 1, callbacks = {
      {on_advance_end = function(_,
        trainer) if trainer.global_step == 3 then trainer:save_checkpoint(path) end end},
    }}:fit(Net(), (small.loaders()))
    local steps = 0
    local trainer = small.trainer {max_epochs = 1,
      callbacks = {{on_train_batch_end = function() steps = steps + 1 end}}}
    trainer:fit(Net(), (small.loaders()), {ckpt_path = path})
    equal({steps, trainer.global_step, seen}, {2, 5, "kept"})
    raises("no_such", function() trainer:fit(Net(), (small.loaders()),
      {ckpt_path = folder() .. "/no_such"}) end)
  end)
  it("starts from scratch only without a checkpoint", function()
    local root = folder() .. "/runs"
    local function fit(epochs)
      local trainer, net, train, validation,
        options = parts(root, ways.plain, {max_epochs = epochs})
      options.ckpt_path = "last"
      local history = trainer:fit(net, train, validation, options)
      return trainer.log_dir, #history, trainer.global_step
    end
    equal({fit(1)}, {root .. "/version_0", 1, 5})
    equal({fit(2)}, {root .. "/version_0", 2, 10})
    equal({fit(2)}, {root .. "/version_0", 2, 10})
  end)
end)

--- The step of the newest checkpoint of a run, which must load.
local function newest_step(root)
  return training.CheckpointManager(root .. "/version_0/checkpoint", {}):restore().global_step
end

describe("a training that cannot save", function()
  local folder = own_folder()
  it("ends with the error, and keeps the previous checkpoint", function()
    local root = folder() .. "/runs"
    local trainer, net, train, validation, options = parts(root, ways.plain)
    -- After the first epoch, no more files can be created.
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
