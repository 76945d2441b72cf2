-- tide.training.CheckpointManager: trainings that stop and resume, and damaged files.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")
local CheckpointManager = tide.training.CheckpointManager
local schedules = tide.optim.lr_scheduler

--- The text written to io.stderr while fn runs.
local function warnings_of(fn)
  local texts, stderr = {}, io.stderr
  io.stderr = {write = function(_, ...) texts[#texts + 1] = table.concat {...} end}
  local ran, problem = pcall(fn)
  io.stderr = stderr
  if not ran then error(problem, 0) end
  return table.concat(texts)
end

local function write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

local function contents(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

--- The names of the files in a folder.
local function names_in(folder)
  local pipe <close> = assert(io.popen(("ls -A '%s'"):format(folder)))
  local names = {}
  for name in pipe:lines() do names[#names + 1] = name end
  return names
end

-- Trainings ---------------------------------------------------------------------------------------

local kInputs <const> = {11, 4}

local kinds = {
  ["SGD with momentum"] = function(net)
    local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1, momentum = 0.9, nesterov = true})
    return optimizer, schedules.StepLR(optimizer, 5, 0.5)
  end,
  Adam = function(net)
    local optimizer = tide.optim.Adam(net:parameters(), {lr = 0.05, amsgrad = true})
    return optimizer, schedules.SequentialLR(optimizer, {
      schedules.LinearLR(optimizer, {total_iters = 3}), schedules.CosineAnnealingLR(optimizer, 9),
    }, {3})
  end,
  AdamW = function(net)
    local optimizer = tide.optim.AdamW({
      {params = {net[1].weight, net[1].bias}}, {params = net[5]:parameters(), lr = 0.02},
    }, {lr = 0.05})
    return optimizer, schedules.OneCycleLR(optimizer, {max_lr = 0.1, total_steps = 12})
  end,
}

--- A training's parts, with a manager.
local function parts(path, kind)
  local nn = tide.nn
  local net = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Dropout(0.4), nn.Linear(6, 1))
  local optimizer, scheduler = kinds[kind](net)
  local generator = tide.Generator()
  generator:manual_seed(4)
  local own = {
    net = net, optimizer = optimizer, scheduler = scheduler, generator = generator,
    scaler = tide.amp.GradScaler {init_scale = 8, growth_interval = 2},
    loader = tide.data.DataLoader(tide.linspace(-1, 1, 44):reshape(kInputs), {batch_size = 3, shuffle = true}),
  }
  own.manager = CheckpointManager(path, {
    net = net, optimizer = optimizer, scheduler = scheduler, scaler = own.scaler, loader = own.loader,
    generator = generator,
  })
  return own
end

local function step(own, x)
  local noise = tide.randn(x.shape, {generator = own.generator})
  own.optimizer:zero_grad()
  local loss = (own.net(x + noise) - x:sum(2, true)):square():mean()
  own.scaler:scale(loss):backward()
  own.scaler:step(own.optimizer)
  own.scaler:update()
  own.scheduler:step()
  return loss:item()
end

--- All losses and the state at the end of a training of 3 epochs, which is saved after step `stop` and
--- continues with other objects.
local function train(path, kind, stop)
  tide.manual_seed(1)
  local own, losses, epoch = parts(path, kind), {}, 1
  while epoch <= 3 do
    local stopped = false
    for x in own.loader:iter() do
      losses[#losses + 1] = step(own, x)
      if #losses == stop then
        own.manager:save({epoch = epoch, losses = losses}, losses[#losses])
        stopped = true
        break
      end
    end
    if stopped then
      tide.manual_seed(77)
      own = parts(path, kind)
      local values, info = own.manager:restore()
      equal({info.number, info.metric}, {own.manager.last, losses[#losses]})
      epoch, losses = values.epoch, values.losses
      stop = nil
    else
      epoch = epoch + 1
    end
  end
  return {losses = losses, net = own.net:state_dict(), optimizer = own.optimizer:state_dict(),
    scheduler = own.scheduler:state_dict(), scaler = own.scaler:state_dict(), random = tide.get_rng_state(),
    generator = own.generator:get_state()}
end

local function identical(got, expected)
  if tide.is_tensor(expected) then return test.identical(got, expected) end
  if type(expected) ~= "table" then return equal(got, expected) end
  for key in pairs(got) do test.is_true(expected[key] ~= nil) end
  for key, value in pairs(expected) do identical(got[key], value) end
end

describe("a training that stops and resumes", function()
  local folder = own_folder()
  for kind in pairs(kinds) do
    it("computes the same bits as without, wherever it stops: " .. kind, function()
      local path = folder() .. "/net"
      local whole = train(path, kind)
      equal(#whole.losses, 12)
      for stop = 1, 12 do identical(train(path, kind, stop), whole) end
    end)
  end
end)

-- Files -------------------------------------------------------------------------------------------

describe("a checkpoint manager", function()
  local folder = own_folder()
  local path, net
  test.before_each(function()
    path, net = folder() .. "/net", tide.nn.Linear(2, 1)
  end)

  local function manager(options) return CheckpointManager(path, {model = net}, options) end

  local function numbers(of)
    local list = {}
    for i, entry in ipairs(of:checkpoints()) do list[i] = entry.number end
    return list
  end

  --- Saves once for each metric, false for none.
  local function save(of, metrics)
    for i, metric in ipairs(metrics) do
      tide.no_grad(function() net.weight:fill_(i) end)
      of:save({step = i}, metric or nil)
    end
    return of
  end

  it("finds no checkpoints at first", function()
    local values = manager():restore()
    equal(values, nil)
    equal(manager():checkpoints(), {})
  end)
  it("keeps the newest ones", function()
    local own = save(manager {keep = 2}, {false, false, false, false})
    equal(numbers(own), {3, 4})
    equal(names_in(folder()), {"net-000003.safetensors", "net-000004.safetensors", "net-index.safetensors"})
    equal(numbers(manager()), {3, 4})
  end)
  it("keeps the best one, too", function()
    for mode, best in pairs {min = 3, max = 2} do
      path = folder() .. "/" .. mode
      local own = save(manager {keep = 2, mode = mode}, {5, 9.0, 1, 0 / 0, 4, 4})
      equal(numbers(own), {best, 5, 6})
      own = manager {mode = mode}
      local values, info = own:restore "best"
      equal({values.step, info.number, net.weight:tolist()}, {best, best, {{best + 0.0, best + 0.0}}})
      equal(own:restore().step, 6)
      equal(own:restore(5).step, 5)
      equal(own:checkpoints()[1], {number = best, metric = info.metric, path = info.path, best = true})
    end
  end)
  it("accepts a tensor as metric", function()
    manager():save(nil, tide.tensor(2.5))
    equal(manager():checkpoints()[1].metric, 2.5)
    equal(manager():restore(), {})
  end)
  it("reports a damaged file, and uses the previous one", function()
    for name, damage in pairs {
      cut = function(text) return text:sub(1, -3) end, empty = function() return "" end,
      other = function() return ("no checkpoint"):rep(10) end,
      description = function(text) return (text:gsub("fields", "feelds")) end,
    } do
      path = folder() .. "/" .. name
      save(manager(), {false, false, false})
      local file = path .. "-000003.safetensors"
      write(file, damage(contents(file)))
      local own, values = manager()
      local warned = warnings_of(function() values = own:restore() end)
      test.is_true(warned:find("warning: " .. file .. ": ", 1, true))
      test.is_true(warned:find("; using checkpoint 2 instead\n", 1, true))
      equal({values.step, net.weight:tolist()}, {2, {{2.0, 2.0}}})
      equal(own:save {step = 4}, path .. "-000004.safetensors")
      equal(numbers(manager()), {1, 2, 4})
    end
  end)
  it("refuses to start again if files exist but none can be read", function()
    save(manager(), {false, false})
    write(path .. "-000001.safetensors", "")
    os.remove(path .. "-000002.safetensors")
    local own = manager()
    warnings_of(function()
      raises("restore: no checkpoint can be read: " .. path .. "-000001.safetensors", own.restore, own)
    end)
    tide.save({x = tide.ones(1)}, path .. "-000001.safetensors")
    own = CheckpointManager(path, {model = net})
    warnings_of(function() raises("net-000001.safetensors: is not a checkpoint", own.restore, own) end)
  end)
  it("finds files without an index, or with a damaged one", function()
    save(manager {mode = "max"}, {1, 7, 3, 4, 5})
    os.remove(path .. "-index.safetensors")
    equal(numbers(manager()), {2, 3, 4, 5})
    write(path .. "-index.safetensors", "x")
    local own
    local warned = warnings_of(function() own = manager {mode = "max"} end)
    test.is_true(warned:find(path .. "-index.safetensors: ", 1, true))
    equal(own:restore("best").step, 2)
    equal(own:save {step = 6}, path .. "-000006.safetensors")
    equal(numbers(manager()), {2, 4, 5, 6})
  end)
  it("does not rely on an index with other contents", function()
    save(manager {mode = "max"}, {1, 7})
    local entry = {number = 1, metric = 1}
    for _, index in ipairs {
      {last = 2, kept = {entry, {number = "2"}}, dropped = {}},
      {last = 2, kept = {entry, {number = 2, metric = true}}, dropped = {}},
      {last = 2, kept = {entry}, dropped = {"x"}},
    } do
      tide.save(index, path .. "-index.safetensors")
      local own
      local warned = warnings_of(function() own = manager {mode = "max"} end)
      test.is_true(warned:find("is not an index", 1, true))
      equal(own:restore("best").step, 2)
    end
  end)
  it("changes nothing if a checkpoint lacks an object", function()
    save(manager(), {false})
    tide.no_grad(function() net.weight:fill_(8) end)
    local own = CheckpointManager(path, {model = net, other = tide.nn.Linear(1, 1)})
    raises("restore: " .. path .. "-000001.safetensors has no 'other'", own.restore, own)
    equal(net.weight:tolist(), {{8.0, 8.0}})
  end)
  it("leaves everything unchanged if saving fails", function()
    local own = save(manager(), {false, false})
    raises("save: checkpoint.values.fn: a function cannot be saved", own.save, own, {fn = print})
    equal(numbers(own), {1, 2})
    equal(#names_in(folder()), 3)
  end)
  it("reports invalid arguments", function()
    local own = manager()
    raises("save: the metric must be a number, got a tensor with true", own.save, own, nil, tide.tensor(true))
    raises("CheckpointManager: argument 1 (path): expected string, got number", CheckpointManager, 3, {})
    raises("CheckpointManager: objects: expected a table", CheckpointManager, path, net)
    raises("CheckpointManager: objects: rate has no state_dict", CheckpointManager, path, {rate = 3})
    raises("CheckpointManager: objects: the name 'checkpoint' is taken", CheckpointManager, path,
      {checkpoint = net})
    raises("CheckpointManager: unknown option 'kept': known are path, objects, keep, keep_best, mode", manager, {kept = 3})
    raises([[CheckpointManager: mode must be "min" or "max", got "least"]], manager, {mode = "least"})
    raises("CheckpointManager: keep must be positive, got 0", manager, {keep = 0})
    local own = manager()
    raises("save: argument 1 (values): expected table, got number", own.save, own, 3)
    raises("save: argument 2 (metric): expected number or tensor, got string", own.save, own, {}, "3")
    raises("restore: expected last, best or the number of a checkpoint that is kept, got 7", own.restore, own, 7)
  end)
  it("finds a complete file if the program is killed at any time", function()
    local script, started = folder() .. "/save.lua", folder() .. "/started"
    write(script, ([[
      local CheckpointManager = require "tide.training".CheckpointManager
      local tide = require "tide"
      local net = tide.nn.Linear(300, 300)
      local manager = CheckpointManager("%s", {model = net}, {keep = 2})
      local step = (manager:restore() or {step = 0}).step
      while true do
        step = step + 1
        tide.no_grad(function() net.weight:fill_(step) end)
        manager:save({step = step}, (step * 7) %% 50)
        io.open("%s", "w"):close()
      end]]):format(path, started))
    local killed = ([[f() { "$@" & p=$!; while ! [ -e '%s' ] && kill -0 $p; do sleep 0.01; done; sleep %%g; ]] ..
      [[kill -9 $p; wait $p; }; f]]):format(started)
    net = tide.nn.Linear(300, 300)
    local before, ended_with = 0, {}
    for i = 1, 30 do
      os.remove(started)
      run(script, killed:format(0.05 * math.random()))
      local newest = 0
      for _, name in ipairs(names_in(folder())) do
        newest = math.max(newest, tonumber(name:match "^net%-(%d+)%.safetensors$") or 0)
      end
      ended_with[i] = newest
      if newest > 0 then
        local values
        local warned = warnings_of(function() values = manager({keep = 2}):restore() end)
        equal({warned, values.step}, {"", newest})
        test.is_true(newest >= before and net.weight:eq(newest):all():item())
      end
      before = newest
    end
    test.is_true(ended_with[30] >= 30)
    os.remove(started)
    local own = manager {keep = 2}
    own:save({}, 100)
    local count = #own:checkpoints()
    local files = names_in(folder()) -- and the index and the script
    equal(#files, count + 2)
  end)
end)
