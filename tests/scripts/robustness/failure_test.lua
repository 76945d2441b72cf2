-- Failures on the device: both lines in one error; other tensors and models keep their
-- values.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run_script = dofile(here .. "/../support/failing_script.lua")

--- The values read by the script of about 50 ops.
local function script_values()
  local values = {}
  run_script("sim:0", function(value) values[#values + 1] = value:tolist() end)
  return values
end

--- Makes the k-th op, copy or allocation from now fail while fn runs.
local function failing(kind, k, fn)
  tide.sim.configure {index = 0, [kind] = k}
  local ok, result = pcall(fn)
  tide.sim.configure {index = 0, [kind] = 0}
  return ok, result
end

--- Makes each op (or copy) of the script fail in turn, until the script ends before.
local function fail_each(kind, right)
  for k = 1, math.huge do
    local ok, result = failing(kind, k, script_values)
    local after = script_values() -- the device goes on, and nothing else is reported
    equal(after, right)
    if ok then
      equal(result, right)
      return k - 1
    end
    if not tostring(result):find "queued at %S+%.lua:%d+ .* noticed at %S+failure_test%.lua:%d+" then
      error(("%s %d: %s"):format(kind, k, result))
    end
  end
end

describe("a failing op", function()
  it("raises one catchable error with both lines, and never returns a wrong number", function()
    local right = script_values()
    tide.synchronize()
    local before = tide.statistics().launches
    script_values()
    tide.synchronize()
    local launches = tide.statistics().launches - before
    local copied = fail_each("fail_copy", right)
    test.is_true(copied > 10)
    -- Copies inside the device are also launched, but fail as copies.
    local failed = fail_each("fail_op", right)
    test.is_true(failed >= 50 and failed <= launches and failed >= launches - copied)
  end)
  it("is none if a second attempt finds memory", function()
    local right = script_values()
    for k = 1, 60 do
      local ok, result = failing("fail_allocation", k, script_values)
      test.is_true(ok, result)
      equal(result, right)
    end
  end)
  it("does not affect tensors that do not depend on it", function()
    local good = tide.ones({4}, {device = "sim:0"}) * 3
    tide.synchronize()
    tide.sim.configure {index = 0, fail_op = 1}
    local bad = tide.ones({4}, {device = "sim:0"}):cumsum(1)
    raises("the device failed (injected fault)", function() return bad:sum():item() end)
    tide.sim.configure {index = 0, fail_op = 0}
    equal(good:sum():item(), 12.0)
  end)
  it("that is a write is not performed: the old value remains", function()
    local x = tide.ones({4}, {device = "sim:0"})
    equal(x:sum():item(), 4.0)
    local broken = x:index_select(1, tide.tensor({9}):to("sim:0"))
    x:add_(broken:sum())
    raises("position 9 is out of range", x.tolist, x)
    equal(x:tolist(), {1.0, 1.0, 1.0, 1.0})
  end)
  it("that was a write does not affect a value recorded just before it", function()
    local options = {device = "sim:0"}
    local places = tide.tensor({1, 9}):to("sim:0")
    local values = tide.tensor({5.0, 6.0}):to("sim:0")
    local writes = {
      scatter = function(x) x:scatter_(1, places, values) end,
      scatter_add = function(x) x:index_add_(1, places, values) end,
      index = function(x) x[places] = 5 end,
      index_select = function(x)
        local y = x + 1 -- read by the same loop, so that no other code needs x
        x:copy_(y:index_select(1, places):sum())
      end,
    }
    for op, write in pairs(writes) do
      for _, older in ipairs {false, true} do
        local x = tide.ones({4}, options)
        if older then x:tolist() end
        local held = older and x * 1 or nil
        x = older and x:mul_(3) or x * 3
        write(x)
        raises(op, function() return x:tolist() end)
        equal(x:tolist(), {3.0, 3.0, 3.0, 3.0})
        if held then equal(held:tolist(), {1.0, 1.0, 1.0, 1.0}) end
      end
    end
  end)
  it("that was a write does not affect the value computed by the same loop", function()
    local options = {device = "sim:0"}
    local places = tide.tensor({9}):to("sim:0")
    -- The results of each function are computed by one loop, together with the failing one.
    local programs = {
      {"a new value", {3.0, 6.0, 9.0, 12.0}, function(a, bad)
        local x = a * 3
        x:add_(bad)
        return x
      end},
      {"the last of several writes", {7.0, 14.0, 21.0, 28.0}, function(a, bad)
        local x = a * 3
        x:add_(a):mul_(2):sub_(a):add_(bad):mul_(5)
        return x
      end},
      {"an older value that the loop writes over", {1.0, 2.0, 3.0, 4.0}, function(a, bad)
        local x = a:clone()
        x:tolist()
        local y = x * 2
        x:add_(bad)
        return x, y
      end},
      {"beside a sum over the row", {2.0, 4.0, 6.0, 8.0}, function(a, bad)
        local x = a * 2
        local sum = x:sum()
        x:mul_(bad):add_(sum)
        return x, sum
      end},
    }
    local others = {
      ["an older value that the loop writes over"] = {2.0, 4.0, 6.0, 8.0},
      ["beside a sum over the row"] = 20.0,
    }
    for _, program in ipairs(programs) do
      local name, right, run = table.unpack(program)
      local a = tide.tensor({1.0, 2.0, 3.0, 4.0}):to("sim:0")
      local bad = tide.ones({4}, options):index_select(1, places):sum()
      tide.synchronize()
      local x, other = run(a, bad)
      raises("position 9", function() return x:tolist() end)
      equal(x:tolist(), right, name)
      if other then equal(other:tolist(), others[name], name) end
      equal(a:tolist(), {1.0, 2.0, 3.0, 4.0}, name)
    end
  end)
  it("does not affect what the same loop computes from other values", function()
    local places = tide.tensor({9}):to("sim:0")
    local a = tide.tensor({1.0, 2.0, 3.0, 4.0}):to("sim:0")
    local bad = a:index_select(1, places):sum()
    tide.synchronize()
    local good, spoilt, rest = a + 1, a * bad, (a * 2):sum()
    raises("position 9", function() return spoilt:tolist() end)
    equal(good:tolist(), {2.0, 3.0, 4.0, 5.0})
    equal(rest:item(), 20.0)
    raises("position 9", function() return (spoilt + 1):tolist() end)
  end)
  it("that was a write loses results computed from it before it was reported", function()
    for _, how in ipairs {"in the same window", "in a later one", "in eager mode"} do
      local _ <close> = how == "in eager mode" and tide.eager() or nil
      local x = tide.ones({4}, {device = "sim:0"})
      equal(x:sum():item(), 4.0, how)
      x:add_(x:index_select(1, tide.tensor({9}):to("sim:0")):sum())
      if how == "in a later one" then tide.synchronize() end
      local twice = (x * 2):cumsum(1)
      local copied = x:to("sim:1")
      local written = tide.zeros({4}, {device = "sim:0"})
      written:add_(x)
      x[1] = 5
      for _ = 1, 2 do
        raises("position 9", function() return twice:tolist() end)
        raises("position 9", function() return copied:tolist() end)
      end
      equal(x:tolist(), {1.0, 1.0, 1.0, 1.0}, how)
      equal(written:tolist(), {0.0, 0.0, 0.0, 0.0}, how)
      equal((x * 2):cumsum(1):tolist(), {2.0, 4.0, 6.0, 8.0}, how)
      x:add_(1)
      equal(x:to("sim:1"):tolist(), {2.0, 2.0, 2.0, 2.0}, how)
    end
  end)
  it("is still reported if a part of its result is written", function()
    local _, x = failing("fail_op", 2, function()
      local x = tide.ones({8}, {device = "sim:0"}):cumsum(1)
      tide.synchronize()
      return x
    end)
    x[1] = 5
    raises("cumsum", function() return x:tolist() end)
    x:fill_(3)
    equal(x:sum():item(), 24.0)
  end)
  it("does not affect a tensor that gets the same memory", function()
    local x = tide.ones({4}, {device = "sim:0"})
    local bad = x:index_select(1, tide.tensor({9}):to("sim:0"))
    x:add_(bad:sum())
    tide.synchronize()
    x:free()
    for i = 1, 200 do
      local sums = (tide.ones({4}, {device = "sim:0"}) * i):cumsum(1)
      equal(sums:tolist(), {i * 1.0, i * 2.0, i * 3.0, i * 4.0})
    end
    raises("position 9", function() return bad:tolist() end)
  end)
  it("fails a sum that takes two steps", function()
    local x = tide.arange(200000, {device = "sim:0"}):to("float32")
    x:tolist()
    for k = 1, 2 do
      local ok, message = failing("fail_op", k, function() return (x % 7):sum():item() end)
      test.is_false(ok)
      test.is_true(message:find("sum", 1, true))
    end
  end)
end)

describe("training that fails", function()
  it("leaves parameters in the state after some number of complete steps", function()
    local run = dofile(here .. "/../support/program.lua")
    local output = run(here .. "/../support/failing_training.lua")
    test.is_true(output:find("always the parameters of some step", 1, true))
  end)
end)

describe("an index out of range", function(device)
  it("found on the device reports the line that queued it", function()
    local x = tide.ones({10}, {device = device})
    local index = tide.tensor({1, 20}):to(device)
    local message = raises("20", function()
      local picked = x:index_select(1, index)
      return picked:sum():item()
    end)
    test.is_true(message:find("failure_test.lua:%d+"))
    test.same_type((x + 1):sum():item(), 20.0)
  end)
  it("is named by each value that depends on it, also where one loop computes them all", function()
    local x = tide.arange(6.0):to(device)
    local function picked(place) return x:index_select(1, tide.tensor({place, 1}):to(device)) end
    local first, second, right = picked(7), picked(8), picked(2)
    local both, own = first + second + right, second * right
    raises("position 7", function() return first:tolist() end)
    raises("position 8", function() return second:tolist() end)
    raises("out of range", function() return both:tolist() end)
    raises("position 8", function() return own:tolist() end)
    equal(right:tolist(), {1.0, 0.0})
  end)
end)
