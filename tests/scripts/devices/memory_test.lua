-- Memory use is bounded: loops that create garbage do not need calls of the collector.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local nn = tide.nn
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run_tide = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")

describe("memory", function(device)
  it("of released tensors is reused", function()
    tide.reset_peak_memory_stats(device)
    local before = tide.memory_allocated(device)
    for _ = 1, 2000 do local _ = tide.zeros({1 << 20}, {device = device}) + 1 end
    tide.synchronize(device)
    -- Unread results are computed too, 4 MB each: 8 GB in total.
    test.is_true(tide.max_memory_allocated(device) - before < 400e6)
  end)
  it("of released tensors is reused while it is in the cache, regardless of other tensors", function()
    local output, ok = run_tide([[-e "local kept, x = tide.zeros(160, 1000, 1000), tide.rand(1000, 1000)
      tide.synchronize()
      tide.reset_peak_memory_stats()
      local before = tide.memory_allocated()
      for _ = 1, 100 do local _ = -x tide.synchronize() end
      print((tide.max_memory_allocated() - before) // 1000000)"]])
    test.is_true(ok)
    test.is_true(tonumber(output) < 24, output)  -- six of the results
  end)
  it("of tensors that survived some collections is reused soon", function()
    local output, ok = run_tide([[-e "tide.reset_peak_memory_stats()
      for _ = 1, 100 do
        local x = tide.zeros(1000, 1000)
        for _ = 1, 8 do local _ = -x tide.synchronize() end
      end
      print(tide.max_memory_allocated() // 1000000)"]])
    test.is_true(ok)
    test.is_true(tonumber(output) < 90, output)
  end)
  it("of a training loop without reads is constant", function()
    local net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)):to(device)
    local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.01, momentum = 0.9})
    local x = tide.randn(8, 16, {device = device})
    local y = tide.randint(1, 4, {8}, {device = device})
    local held = {}
    local function step(i)
      optimizer:zero_grad()
      local output = net(x)
      nn.functional.cross_entropy(output, y):backward()
      optimizer:step()
      held[i % 50] = output
    end
    for i = 1, 500 do step(i) end
    collectgarbage()
    tide.synchronize(device)
    local before = tide.memory_allocated(device)
    for i = 1, 3000 do step(i) end
    collectgarbage()
    tide.synchronize(device)
    test.is_true(tide.memory_allocated(device) <= before + 64 * 1024)
  end)
  it("is released at once by free and close", function()
    tide.synchronize(device)
    local before = tide.memory_allocated(device)
    local x = tide.ones({1 << 22}, {device = device})
    tide.synchronize(device)
    test.is_true(tide.memory_allocated(device) >= before + (1 << 24))
    x:free()
    tide.synchronize(device)
    test.is_true(tide.memory_allocated(device) < before + (1 << 24))
    test.raises("freed", function() return x + 1 end)
    do
      local y <close> = tide.ones({1 << 22}, {device = device})
      y:add_(1)
    end
    tide.synchronize(device)
    test.is_true(tide.memory_allocated(device) < before + (1 << 24))
  end)
  it("of a long chain is bounded, and releasing it does not recurse", function()
    local x = tide.zeros({1}, {device = device})
    for _ = 1, 200000 do x = x + 1 end
    test.same_type(x:item(), 200000.0)
    for _ = 1, 200000 do x = x + 1 end
    x = nil
    collectgarbage()
  end)
end)

describe("out of memory", function()
  local limit <const> = 64 << 20
  test.before_each(function() tide.sim.configure {index = 1, memory_limit = limit} end)
  test.after_each(function() tide.sim.configure {index = 1, memory_limit = 0} end)

  it("is an error with the requested size, and a smaller attempt works", function()
    local message = test.raises("out of memory", function()
      local x = tide.zeros({1 << 28}, {device = "sim:1"}) + 1
      return x[1]:item() -- a sum alone would be computed without storing x
    end)
    test.is_true(message:find("sim:1", 1, true))
    test.same_type((tide.zeros({1 << 10}, {device = "sim:1"}) + 1):sum():item(), 1024.0)
  end)

  local options = {device = "sim:1"}
  --- The error is raised on a read: this only records.
  local function too_big() return tide.zeros({1 << 28}, options):cumsum(1) end

  it("reports the line of the op that lacked memory, once", function()
    local big = too_big()
    local small = tide.ones({4}, options) + 1
    local message = test.raises("out of memory", small.tolist, small)
    local line = debug.getinfo(too_big, "S").linedefined
    test.is_true(message:find(("; queued at %%S+memory_test.lua:%d %%("):format(line)))
    test.same_type(small:tolist(), {2.0, 2.0, 2.0, 2.0})
    test.raises("out of memory", function() return big:tolist() end)
  end)
  it("may affect a value that was about to be replaced", function()
    local good = tide.ones({4}, options) * 2
    local big = tide.zeros({1 << 28}, options)
    big:fill_(1)
    test.raises("out of memory", good.tolist, good)
    test.same_type(good:tolist(), {2.0, 2.0, 2.0, 2.0})
    test.raises("out of memory", function() return big[1]:item() end)
  end)
  it("loses only the failed value: other recorded ops are computed, and writes keep the old value", function()
    local stored = tide.ones({4}, options)
    stored:tolist()
    local recorded, filled = tide.ones({4}, options) * 2, tide.zeros({2, 2}, options)
    filled[1] = 5
    local big = too_big()
    stored:add_(big[1])
    recorded:mul_(2)
    recorded:add_(big:sum())
    filled[2] = big[7]
    local beside = recorded + 1
    local good = tide.ones({4}, options) * 3
    test.raises("out of memory", tide.synchronize)
    test.same_type(stored:tolist(), {1.0, 1.0, 1.0, 1.0})
    test.same_type(recorded:tolist(), {4.0, 4.0, 4.0, 4.0})
    test.same_type(filled:tolist(), {{5.0, 5.0}, {0.0, 0.0}})
    test.same_type(good:tolist(), {3.0, 3.0, 3.0, 3.0})
    -- It does not fail a later window as a whole either.
    local spoilt, fine = big[1] + 1, good + 1
    stored:add_(spoilt)
    stored:add_(1)
    recorded:copy_(fine)
    test.raises("out of memory", spoilt.tolist, spoilt)
    test.same_type(fine:tolist(), {4.0, 4.0, 4.0, 4.0})
    test.same_type(stored:tolist(), {2.0, 2.0, 2.0, 2.0})
    test.same_type(recorded:tolist(), {4.0, 4.0, 4.0, 4.0})
    test.same_type(beside:tolist(), {5.0, 5.0, 5.0, 5.0})
  end)
  it("does not affect a value that can be recomputed", function()
    local count <const> = (1 << 22) + 1024 -- three of them fit
    local x = tide.ones({count}, options)
    x:sum():item()
    local again = x * 2
    test.same_type(again:sum():item(), 2.0 * count) -- summed without being stored
    local held = {}
    for i = 1, 2 do
      held[i] = x + i
      held[i][1]:item()
    end
    test.raises("out of memory", function() return again[5]:item() end)
    test.raises("out of memory", function() return again:cumsum(1)[5]:item() end)
    held = nil
    test.same_type(again[5]:item(), 2.0)
  end)
  it("does not apply partial optimizer steps, and training continues", function()
    local function train(limits)
      tide.manual_seed(2)
      local net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)):to("sim:1")
      local optimizer = tide.optim.Adam(net:parameters(), {lr = 0.1})
      local x = tide.randn(16, 4, options)
      x:tolist()
      local states = {}
      for i, limit in ipairs(limits) do
        pcall(function()
          optimizer:zero_grad()
          local output = net(x)
          -- Sizes around the limit: it is exceeded at different points, or not at all.
          local more = tide.ones({limit}, options):cumsum(1)
          local loss = (output * more[1]):square():sum()
          loss:backward()
          optimizer:step()
        end)
        pcall(tide.synchronize, "sim:1")
        states[i] = {}
        for k, parameter in ipairs(net:parameters()) do states[i][k] = parameter:tolist() end
      end
      return states
    end
    local small <const>, big <const> = 10, 1 << 28
    local right = train {small, small, small}
    local states = train {small, big, small, big, small}
    test.equal(states[2], states[1])
    test.equal(states[4], states[3])
    test.equal({states[1], states[3], states[5]}, right)
  end)
end)

describe("a process with limited memory", function()
  local folder = own_folder()

  --- The number printed by the script.
  local function run(script, limit)
    local output = run_tide(("'%s/../support/%s"):format(here, script),
      ("export TIDE_CACHE_DIR='%s'; ulimit -v %s; exec"):format(folder(), limit))
    return tonumber(output:match "^%d+\n") or error(output, 0)
  end

  for _, bytes in ipairs {2000, 40000, 3000000} do
    it(("releases blocks of %d bytes and continues"):format(bytes), function()
      test.is_true(run(("little_memory.lua' %d"):format(bytes), 1000000) <= 2)
    end)
  end
  it("raises errors whenever memory is short", function()
    -- First with sufficient memory: that stores the kernels on disk, as the compiler may not fit into the limit.
    test.equal(run("exhaust_memory.lua' 20", "unlimited"), 16)
    test.is_true(run("exhaust_memory.lua' 1e9", 600000) >= 1)
  end)
  it("computes with the threads that it could start", function()
    local most = run("many_threads.lua'", "unlimited")
    local threads = run("many_threads.lua'", 600000)
    test.is_true(threads > 2 and threads < most)
  end)
end)
