-- tide.Trainer: trainings that are interrupted or killed.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal = test.same_type

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")
local training = tide.training

--- The text of a script that trains until it is stopped, and resumes from existing checkpoints.
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
    trainer:fit(net, train, validation, {loss = tide.nn.functional.cross_entropy,
      ckpt_path = "last",
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

describe("a training that is stopped by a signal", function()
  local folder = own_folder()
  local root, path
  test.before_each(function()
    root, path = folder() .. "/runs", folder() .. "/train.lua"
    local file <close> = assert(io.open(path, "wb"))
    file:write(script(root, here .. "/../support"))
  end)
  it("leaves a valid checkpoint if it is killed at any time", function()
    local before = 0
    for i = 1, 5 do
      signalled(path, root, "KILL", 0.03 * i)
      local step = newest_step(root)
      test.is_true(step >= before and step > 0)
      before = step
    end
  end)
  it("ends the step, saves and returns to the script when it is interrupted", function()
    local before = 0
    for _ = 1, 3 do
      local printed, ended = signalled(path, root, "INT", 0.2)
      equal(ended, true)
      test.is_true(printed:find("stopping after this step; press Ctrl-C again to stop now\n", 1,
        true))
      local file = printed:match "interrupted in epoch %d+ after step %d+: resume from (%S+)\n"
      local step = math.tointeger(printed:match "goes on\ttrue\t(%d+)\n")
      equal(newest_step(root), step)
      test.is_true(step > before and io.open(file, "rb"):close())
      before = step
    end
  end)
end)

--- The text of a script that trains 3 epochs, sends itself an interrupt in the hook POINT the
--- NUMBER-th time, and prints its results.
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
    local trainer = small.trainer {max_epochs = 3, default_root_dir = os.getenv "POINT" and "%s"
      or nil,
      val_check_interval = tonumber(os.getenv "INTERVAL"), num_sanity_val_steps = 0,
        callbacks = {callback}, accumulate_grad_batches = 2}
    local history = trainer:fit(net, train, validation, {loss = tide.nn.functional.cross_entropy,
      ckpt_path = os.getenv "POINT" and "last" or nil,
        optimizer = tide.optim.SGD(net:parameters(), {lr = 0.01})})
    print(trainer.interrupted, trainer.global_step)
    for _, row in ipairs(history) do print(("%%a %%a"):format(row.loss, row.val_loss or 0)) end
    print(tide.get_rng_state().offset,
      ("%%a"):format(net[1].weight:square():sum():item()))]]):format(support, root)
end

describe("a training that is interrupted at any point", function()
  local folder = own_folder()
  it("resumes bit for bit", function()
    local path = folder() .. "/train.lua"
    local root = folder() .. "/runs"
    local file = assert(io.open(path, "wb"))
    file:write(interrupting(root, here .. "/../support"))
    file:close()
    for _, interval in ipairs {"2", "1.0"} do
      local whole = run(path, "INTERVAL=" .. interval)
      test.is_true(whole:find("false\t9\n", 1, true))
      for point, number in pairs {
        on_train_batch_start = 4, on_before_optimizer_step = 3, on_validation_batch_start = 5,
        on_validation_end = 2,
        on_train_epoch_end = 1, on_after_backward = 1,
      } do
        os.execute(("rm -rf '%s'"):format(root))
        local before = ("INTERVAL=%s POINT=%s NUMBER="):format(interval, point)
        local stopped, ended = run(path, before .. number)
        if not (ended and stopped:find "true\t%d") then error(point .. ": " .. stopped) end
        equal(run(path, before .. 0), whole)
      end
    end
  end)
end)
