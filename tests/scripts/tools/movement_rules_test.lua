-- Rules on waits, reads, transfers and loaders.
local here = debug.getinfo(1, "S").source:match "^@(.*)/" or "."
local on = dofile(here .. "/../support/advice_on.lua")
local tide = require "tide"
local test = require "tide.test"
local Watch = require "tide.tools.advise.watch"
local describe, it = test.describe, test.it
local equal, is_nil, is_true = test.equal, test.is_nil, test.is_true

local function finding(rule, fn)
  for _, found in ipairs(tide.advise(fn).findings) do
    if found.rule == rule then return found end
  end
end

local function line() return debug.getinfo(2, "l").currentline end

--- Runs fn while each launch on the simulated devices takes a millisecond, so that a read always
--- waits.
local function with_slow_launches(fn)
  test.finally(function() tide.sim.configure {launch_cost = 0} end)
  tide.sim.configure {launch_cost = 1e-3}
  fn()
end

describe("advice on waits", function()
  it("counts those in a loop, not one after it or those of a clock", function()
    local x = tide.rand(64, {device = "sim"})
    with_slow_launches(function()
      local at
      local found = finding("wait in a loop", function()
        at = line() + 1
        for _ = 1, 6 do x:exp():sum():item() end
      end)
      equal(found.line, at)
      is_true(found.win_ms > 0)
      is_true(found.text:find "^item waits 6 times, for " ~= nil, found.text)
      is_true(found.fix:find "^keep the value on the device" ~= nil)
      is_nil(finding("wait in a loop", function()
        local sum = 0
        for _ = 1, 6 do sum = sum + x:exp():sum() end
        return sum:item()
      end))
      is_nil(finding("wait in a loop", function()
        for _ = 1, 6 do
          x:exp():sum()
          tide.synchronize()
        end
      end))
      is_nil(finding("wait in a loop", function() -- found by another rule
        for i = 1, #x do x[i]:item() end
      end))
    end)
  end)
end)

describe("advice on reads", function(device)
  local x = tide.rand(64, {device = device})

  it("reports reads of single elements", function()
    local at
    local found = finding("element by element", function()
      at = line() + 1
      for i = 1, #x do assert(x[i]:item() <= 1) end
    end)
    equal(found.line, at)
    equal(found.text, "63 single elements are read, one by one")
    is_nil(finding("element by element", function()
      for _, v in ipairs(x:tolist()) do assert(v <= 1) end
    end))
    is_nil(finding("element by element", function() for _ = 1, 40 do x:sum():item() end end))
  end)
end)

describe("advice on loaders", function()
  local rule <const> = "slow data loader"

  it("reports a device that waits for data", function()
    local loader = {file = "a.lua", line = 3, ms = 6.0, batches = 3, workers = 0}
    local found = on(rule, {loaders = {loader}})
    equal(found.text, "the loader takes 6.0 ms for 3 batches while the device is idle")
    equal(found.fix, "num_workers = 2 reads batches while the device works")
    equal(found.win_ms, 4.0)
    is_nil(on(rule, {loaders = {loader}, idle_ms = 1}))
    loader.ms = 1.0
    is_nil(on(rule, {loaders = {loader}}))
  end)

  it("times each pass, and counts its batches", function()
    local Slow = tide.class("Slow", tide.data.Dataset)
    function Slow:get()
      tide.sleep(0.002)
      return tide.ones(4)
    end
    Slow.__len = function() return 6 end
    local watch <close> = Watch {}
    watch:begin()
    local at = line() + 1
    for x in tide.data.DataLoader(Slow(), {batch_size = 2}):iter() do equal(x.shape, {2, 4}) end
    local _, row = next(watch.loaders)
    equal(row.line, at)
    equal(row.batches, 3)
    equal(row.workers, 0)
    is_true(row.ms >= 12)
  end)
end)

describe("advice on transfers", function()
  local there = "sim" -- a device other than the cpu

  it("reports tensors that are moved again", function()
    local x, at = tide.rand(64, 64), nil
    local found = finding("moved again", function()
      at = line() + 1
      for _ = 1, 5 do x:to(there):sum() end
    end)
    equal(found.line, at)
    equal(found.text, "4 of 5 transfers to sim:0 move tensors that are there already")
    is_nil(finding("moved again", function()
      local y = x:to(there)
      for _ = 1, 5 do y:sum() end
    end))
    is_nil(finding("moved again", function()
      for i = 1, 5 do -- a buffer that is refilled
        x:fill_(i)
        x:to(there):sum()
      end
    end))
    is_nil(finding("moved again", function() for _ = 1, 5 do x:to("float32"):sum() end end))
  end)

  it("reports a :to whose result is not used", function()
    local x, at = tide.rand(8), nil
    local found = finding("unused to", function()
      at = line() + 1
      x:to(there)
      return x:sum():item()
    end)
    equal(found.line, at)
    equal(found.wins, "results")
    local net = tide.nn.Linear(8, 8)
    is_nil(finding("unused to", function()
      net:to(there) -- moves in place
      local y = x:to(there)
      return net(y):sum():item()
    end))
  end)

  it("reports tensors that are created on the host and moved", function()
    local at
    local found = finding("made on the host", function()
      for _ = 1, 5 do
        at = line() + 1
        local noise = tide.randn(8, 8)
        noise:to(there):sum()
      end
    end)
    equal(found.line, at)
    equal(found.text, "5 tensors are created on the cpu and moved to sim:0")
    equal(found.fix, 'create them there: {device = "sim:0"} as the last argument')
    is_nil(finding("made on the host", function()
      for _ = 1, 5 do tide.randn(8, 8, {device = there}):sum() end
    end))
    is_nil(finding("made on the host", function()
      for _ = 1, 5 do tide.randn(8, 8):sum() end
    end))
  end)
end)
