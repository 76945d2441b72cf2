-- What fails on the device: both lines in one error, good tensors stay good, models keep their
-- values.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal = test.equal

--- Runs `program` once for each of its steps, failing that step; calls check(ok, result or message)
--- each time.
local function fail_each(count, program, check)
  for k = 1, count do
    tide.sim.configure {index = 0, fail_op = k}
    local results = table.pack(pcall(program))
    tide.sim.configure {index = 0, fail_op = 0}
    check(k, table.unpack(results, 1, results.n))
  end
end

describe("a failing op", function()
  it("gives one catchable error and never a wrong number", function()
    local function program()
      local x = tide.ones({8}, {device = "sim:0"})
      for i = 1, 25 do
        x = x * 2 - i
        x = x:cumsum(1):narrow(1, 1, 8) % 7
      end
      return x:sum():item()
    end
    local right = program()
    local failures = 0
    fail_each(50, program, function(_, ok, result)
      if ok then
        equal(result, right)
      else
        failures = failures + 1
        test.is_true(tostring(result):find("failure_test.lua:%d+"))
      end
      equal(program(), right)
    end)
    test.is_true(failures > 0)
  end)
  it("leaves tensors that do not depend on it as they are", function()
    local good = tide.ones({4}, {device = "sim:0"}) * 3
    tide.synchronize()
    tide.sim.configure {index = 0, fail_op = 1}
    local bad = tide.ones({4}, {device = "sim:0"}):cumsum(1)
    test.is_false(pcall(function() return bad:sum():item() end))
    tide.sim.configure {index = 0, fail_op = 0}
    equal(good:sum():item(), 12.0)
  end)
  it("is not carried out when it is a write: the old value stays", function()
    local x = tide.ones({4}, {device = "sim:0"})
    equal(x:sum():item(), 4.0)
    local broken = x:index_select(1, tide.tensor({9}):to("sim:0"))
    x:add_(broken:sum())
    test.is_false(pcall(function() return x:tolist() end))
    equal(x:tolist(), {1.0, 1.0, 1.0, 1.0})
  end)
end)

describe("training that fails", function()
  it("leaves parameters as they were after some prefix of the steps", function()
    local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
    local run = dofile(here .. "/support/program.lua")
    local output = run(here .. "/support/failing_training.lua")
    test.is_true(output:find("always the parameters of some step", 1, true))
  end)
end)

describe("a position out of range", function(device)
  it("found on the device names the line that queued it", function()
    local x = tide.ones({10}, {device = device})
    local index = tide.tensor({1, 20}):to(device)
    local message = test.raises("20", function()
      local picked = x:index_select(1, index)
      return picked:sum():item()
    end)
    test.is_true(message:find("failure_test.lua:%d+"))
    test.equal((x + 1):sum():item(), 20.0)
  end)
end)
