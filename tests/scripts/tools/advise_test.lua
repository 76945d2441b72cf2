-- tide.advise: its result, its text, invalid input, and that no state of it remains.
local here = debug.getinfo(1, "S").source:match "^@(.*)/" or "."
local on = dofile(here .. "/../support/advice_on.lua")
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, is_nil, is_true, raises = test.equal, test.is_nil, test.is_true, test.raises

describe("tide.advise", function(device)
  it("orders findings: results first, then by savings", function()
    local x, logits = tide.rand(64, {device = device}), tide.rand(4, 3, {device = device})
    local targets = tide.tensor({1, 2, 3, 1}, {device = device})
    local advice = tide.advise(function()
      for _ = 1, 8 do x:sum():item() end
      for _ = 1, 80 do x:exp():sum():item() end
      tide.nn.functional.cross_entropy(logits:softmax(2), targets):item()
    end)
    local findings = advice.findings
    equal(findings[1].wins, "results")
    for i = 3, #findings do
      is_true(findings[i - 1].wins ~= "time" or findings[i].wins == "memory" or
        findings[i - 1].win_ms >= findings[i].win_ms)
    end
  end)

  it("has no findings for a good loop, and for an empty one", function()
    local x = tide.rand(64, 64, {device = device})
    local advice = tide.advise(function()
      local y = x
      for _ = 1, 10 do y = y:matmul(x) end
      return y:sum():item()
    end)
    equal(#advice.findings, 0)
    local name = tostring(tide.device(device))
    local pattern = "^nothing to advise: [%d.]+ ms, in which " .. name .. " was busy for [%d.]+ ms$"
    is_true(tostring(advice):find(pattern) ~= nil, tostring(advice))
    local empty = tide.advise(function() end)
    equal(#empty.findings, 0)
    is_true(tostring(empty):find "nothing to advise: no device had any work in [%d.]+ ms" ~= nil)
  end)
end)

describe("the text of advice", function()
  local function advice_on(given)
    given.wall_ms, given.wait_ms, given.idle_ms = 100, 50, 90
    return on(nil, given)
  end

  local function wait(number, ms)
    return {
      name = "item", file = "a.lua", line = number, calls = 9, wait_ms = ms,
      awaited = "sum (a.lua:1)", advice = "read it once",
    }
  end

  it("is a list of lines, each with its fix", function()
    equal(tostring(advice_on {
      waits = {wait(3, 10.0), wait(4, 20.0)},
      steps = {{file = "a.lua", line = 9, count = 5, kept = 4}},
      module_calls = {{file = "a.lua", line = 12, count = 2, unused = 2, name = "Linear"}},
    }), [[
a.lua:9: the gradients of 4 of 5 steps are added to those of the step before (changes results)
    optimizer:zero_grad() before loss:backward(); to accumulate, step once for several
a.lua:4: item waits 9 times, for sum (a.lua:1) (would save about 20.0 ms of 100.0 ms)
    read it once
a.lua:3: item waits 9 times, for sum (a.lua:1) (would save about 10.0 ms of 100.0 ms)
    read it once
a.lua:12: Linear keeps 2 graphs for gradients that are never computed (would save memory)
    local _ <close> = tide.no_grad() before the evaluation]])
  end)

  it("counts small savings", function()
    local advice = advice_on {waits = {wait(3, 10.0), wait(4, 0.1), wait(5, 0.2)}}
    equal(#advice.findings, 3)
    equal(tostring(advice), [[
a.lua:3: item waits 9 times, for sum (a.lua:1) (would save about 10.0 ms of 100.0 ms)
    read it once
2 more would save 0.3 ms in total (advice.findings)]])
  end)

  it("adds findings of one rule on one line", function()
    local one, other = wait(3, 10.0), wait(3, 20.0)
    other.name = "tolist"
    local advice = advice_on {waits = {one, other}}
    equal(#advice.findings, 1)
    equal(advice.findings[1].win_ms, 30.0)
    equal(advice.findings[1].text, "tolist waits 9 times, for sum (a.lua:1)")
  end)
end)

describe("the runs of tide.advise", function()
  local function runs_of(options, fn)
    local count = 0
    tide.advise(function()
      count = count + 1
      fn()
    end, options)
    return count
  end

  it("are two for a short function, or the given number", function()
    local function work() tide.ones(8):sum():item() end
    equal(runs_of(nil, work), 2)
    equal(runs_of({runs = 1}, work), 1)
    equal(runs_of({runs = 3}, work), 3)
    equal(runs_of(nil, function() end), 1)
  end)

  it("accept any callable value", function()
    local called = setmetatable({}, {__call = function() tide.ones(2):sum():item() end})
    equal(#tide.advise(called).findings, 0)
  end)
end)

describe("invalid input of tide.advise", function()
  it("is reported", function()
    raises("advise: argument 1 (fn): expected function, got number", tide.advise, 3)
    raises("advise: argument 1 (fn): expected function, got nothing", tide.advise)
    raises("advise: runs must be positive, got 0", tide.advise, print, {runs = 0})
    raises("advise: unknown option 'run'", tide.advise, print, {run = 1})
  end)

  it("includes a profile in progress", function()
    tide.profile(function()
      raises("advise: a profile is under way, and advise makes one of its own: close it first",
        tide.advise, print)
    end)
    raises("advise: a profile is under way", tide.advise, function() tide.advise(print) end)
    raises("profile: a profile is under way", tide.advise, function() tide.profile(print) end)
  end)

  it("includes a function that raises an error, which is passed on; then the state is as before", function()
    local methods = require("tide.native").methods
    local to, zeros, item = methods.to, tide.zeros, methods.item
    local text = raises("advise_test.lua", tide.advise, function() error("no such file") end)
    is_true(text:find "advise_test.lua:%d+: no such file" ~= nil, text)
    is_true(rawequal(methods.to, to) and rawequal(methods.item, item))
    is_true(rawequal(tide.zeros, zeros))
    is_nil(require("tide.nn.internal.call_hooks").after)
    equal(tide.profile(function() end):summary().dropped, 0)
  end)
end)

describe("functions of the library wrapped by tide.advise", function()
  it("have the same results and errors", function()
    local advice = tide.advise(function()
      local x = tide.tensor({{1, 2}, {3, 4}}, {dtype = "float32", requires_grad = true})
      equal(x:to("float64").dtype, "float64")
      equal(x[{2, 2}]:item(), 4.0)
      x:sum():backward()
      equal(x.grad:tolist(), {{1.0, 1.0}, {1.0, 1.0}})
      local text = raises("advise_test.lua", function() return x:to "no such type" end)
      is_true(text:find "advise_test.lua:%d+: " ~= nil, text)
    end)
    equal(#advice.findings, 0)
  end)

  it("are unwrapped afterwards", function()
    local Optimizer = require "tide.nn.optim.optimizer"
    local step, cross_entropy = Optimizer.step, tide.nn.functional.cross_entropy
    tide.advise(function() return tide.ones(2):sum():item() end)
    is_true(rawequal(Optimizer.step, step))
    is_true(rawequal(tide.nn.functional.cross_entropy, cross_entropy))
  end)
end)
