-- Several streams of a device: the same values in any order of execution; independent work does not
-- wait; one failure does not affect the others.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/random_program.lua")
local run_tide = dofile(here .. "/../support/program.lua")
local describe, it, equal, raises = test.describe, test.it, test.same_type, test.raises
local is_true = test.is_true

--- Calls fn with slow launches on sim:0, and then restores their cost.
local function with_slow_launches(seconds, fn)
  tide.sim.configure {index = 0, launch_cost = seconds}
  local ok, message = pcall(fn)
  tide.sim.configure {index = 0, launch_cost = 0}
  if not ok then error(message, 0) end
end

--- Bodies of actions are run on the first stream or one of three others, at random.
local function at_random(device, seed)
  local streams = {tide.Stream(device), tide.Stream(device), tide.Stream(device)}
  local state = seed
  return function(action)
    state = (state * 1103515245 + 12345) % 2147483648
    local stream = streams[(state >> 16) % 4]
    if not stream then return action() end
    return tide.stream(stream, action)
  end
end

describe("programs on several streams", function(device)
  local programs, steps = 20, 40
  local function compare()
    for seed = 1, programs do
      local alone = run(seed, steps, device)
      local spread = run(seed, steps, device, at_random(device, seed))
      for i, tensor in ipairs(alone) do
        local ok, message = pcall(test.identical, spread[i], tensor)
        if not ok then error(("program %d, tensor %d: %s"):format(seed, i, message), 0) end
      end
    end
  end
  it("compute the same bits as on one", compare)
  if tide.device(device).type == "sim" then
    it("do so when launches are slow, and one stream runs far later than another", function()
      programs = 6
      with_slow_launches(3e-4, compare)
    end)
  end
  it("never use a block that another stream still uses", function()
    local function compute(around)
      local sums = {}
      for i = 1, 60 do
        local x = tide.full({5000}, i * 1.0, {device = device})
        local y = around(function() return x * 2 + 1 end)
        x = nil -- its block is free for the first stream when the other has read it
        collectgarbage()
        tide.full({5000}, -1, {device = device}):add_(1)
        sums[i] = around(function() return (y - 1):sum() end)
      end
      for i, sum in ipairs(sums) do sums[i] = sum:item() end
      return sums
    end
    local right = compute(function(fn) return fn() end)
    equal(compute(at_random(device, 5)), right)
  end)
  it("may write in place what another stream still reads", function()
    local s = tide.Stream(device)
    for i = 1, 20 do
      local x = tide.full({3000}, i * 1.0, {device = device})
      local sum = tide.stream(s, function() return (x:cumsum(1) * 0 + x):sum() end)
      x:fill_(-1)
      x[{{1, 2}}] = 7
      equal(sum:item(), i * 3000.0)
      equal(x:sum():item(), 14.0 - 2998)
    end
  end)
  it("do not reuse memory that they still read, with and without record_stream", function()
    local s = tide.Stream(device)
    for i = 1, 20 do
      local x = tide.full({3000}, i * 1.0, {device = device}) * 1
      local sum = tide.stream(s, function() return (x:cumsum(1) * 0 + x):sum() end)
      if i % 2 == 0 then equal(select("#", x:record_stream(s)), 0) end
      x:free()
      tide.full({3000}, -1, {device = device}):add_(1)
      equal(sum:item(), i * 3000.0)
    end
    local x = tide.ones({1}, {device = device})
    raises("record_stream: argument 2 (stream): expected stream, got nothing", x.record_stream, x)
    raises("record_stream: argument 2 (stream): expected stream, got string", x.record_stream, x, "sim")
    x:free()
    raises("a freed tensor", x.record_stream, x, s)
  end)
  it("have the same gradients as on one", function()
    local function gradient(around)
      tide.manual_seed(3)
      local w = tide.randn(6, 6, {device = device, requires_grad = true})
      local x = tide.randn(4, 6, {device = device})
      local h = around(function() return x:matmul(w):tanh() end)
      local loss = around(function() return (h:matmul(w) ^ 2):sum() end)
      around(function() loss:backward() end)
      return w.grad
    end
    local right = gradient(function(fn) return fn() end)
    for seed = 1, 5 do test.identical(gradient(at_random(device, seed)), right) end
  end)
  it("can be more than a device has queues", function()
    local sum = tide.zeros({3}, {device = device})
    for _ = 1, 80 do
      tide.stream(tide.Stream(device), function() sum = sum + 1 end)
    end
    equal(sum:tolist(), {80.0, 80.0, 80.0})
  end)
  it("release their memory", function()
    local around = at_random(device, 9)
    local function work()
      local x = tide.ones({1000}, {device = device})
      for _ = 1, 50 do x = around(function() return x:cumsum(1) * 0.5 end) end
      x:tolist()
    end
    work()
    collectgarbage()
    tide.synchronize()
    tide.ones({4}, {device = device}):tolist() -- checks which blocks other streams have finished with
    local before = tide.memory_allocated(device)
    for _ = 1, 5 do work() end
    collectgarbage()
    tide.synchronize()
    tide.ones({4}, {device = device}):tolist()
    equal(tide.memory_allocated(device), before)
  end)
end)

describe("tide.stream", function(device)
  it("applies in its function or block only", function()
    local first, s, t = tide.current_stream(device), tide.Stream(device), tide.Stream(device)
    is_true(s ~= t and s ~= first and first == tide.current_stream(device))
    local function current() return tide.current_stream(device) end
    is_true(tide.stream(s, current) == s)
    is_true(current() == first)
    do
      local _ <close> = tide.stream(s)
      is_true(current() == s)
      is_true(tide.stream(t, current) == t)
      is_true(current() == s)
    end
    is_true(current() == first)
    raises("on purpose", function() tide.stream(s, function() error "on purpose" end) end)
    is_true(current() == first)
    equal({tide.stream(s, function(...) return ... end, 1, 2)}, {1, 2})
  end)
  it("belongs to the coroutine that opened it", function()
    local first, s = tide.current_stream(device), tide.Stream(device)
    local inside = coroutine.wrap(function()
      local _ <close> = tide.stream(s)
      coroutine.yield(tide.current_stream(device))
      coroutine.yield(tide.current_stream(device))
    end)
    is_true(inside() == s)
    is_true(tide.current_stream(device) == first)
    is_true(inside() == s)
    is_true(tide.current_stream(device) == first)
  end)
  it("belongs to its own device", function()
    local s = tide.Stream(device)
    for _, other in ipairs(tide.devices()) do
      if tostring(other) ~= tostring(s:get_device()) then
        tide.stream(s, function() is_true(tide.current_stream(other):get_device() == other) end)
      end
    end
  end)
end)

describe("events", function(device)
  it("mark a point of their stream", function()
    local s = tide.Stream(device)
    local x = tide.stream(s, function() return tide.ones({8}, {device = device}):cumsum(1) end)
    local event = s:record_event()
    -- Functions that only wait return nothing, so that the prompt prints nothing.
    equal(select("#", event:synchronize()), 0)
    is_true(event:query())
    equal(select("#", s:synchronize()), 0)
    is_true(s:query())
    equal(x:tolist()[8], 8.0)
  end)
  it("are returned by record", function()
    local s, event = tide.Stream(device), tide.Event {device = device}
    is_true(rawequal(event:record(s), event) and rawequal(event:record(), event))
  end)
  it("and streams can be waited for", function()
    local s, t = tide.Stream(device), tide.Stream(device)
    local x = tide.stream(s, function() return tide.ones({8}, {device = device}) * 3 end)
    local event = s:record_event()
    t:wait_event(event)
    event:wait(device)
    s:wait_stream(tide.current_stream(device))
    t:wait_stream(t)
    equal(tide.stream(t, function() return (x + 1):tolist()[1] end), 4.0)
    tide.synchronize(device)
    is_true(s:query() and t:query())
  end)
end)

describe("a simulated accelerator", function()
  it("copies on one stream while another computes", function()
    local s = tide.Stream("sim:0")
    local x = tide.ones({1000})
    local y = tide.ones({8}, {device = "sim:0"})
    tide.synchronize()
    tide.sim.configure {index = 0, copy_latency = 0.2}
    local copied, computed = tide.Event {device = "sim:0", timing = true},
      tide.Event {device = "sim:0", timing = true}
    local there = tide.stream(s, function() return x:to("sim:0") end)
    copied:record(s)
    local sum = y:cumsum(1)
    computed:record("sim:0")
    is_true(computed:elapsed_time(copied) > 0) -- begun later, done earlier
    tide.sim.configure {index = 0, copy_latency = 10e-6}
    equal(sum:tolist()[8], 8.0)
    equal(there:sum():item(), 1000.0)
  end)
  it("runs one stream while another waits for an event", function()
    local s = tide.Stream("sim:0")
    with_slow_launches(0.02, function()
      local slow = tide.ones({8}, {device = "sim:0"})
      for _ = 1, 5 do slow = slow:cumsum(1) end
      local function recorded(stream)
        local event = tide.Event {device = "sim:0", timing = true}
        event:record(stream)
        return event
      end
      local done = recorded(tide.current_stream "sim:0")
      local fast = tide.stream(s, function() return tide.ones({8}, {device = "sim:0"}) * 2 end)
      local early = recorded(s)
      s:wait_event(done)
      local late = recorded(s)
      late:synchronize()
      is_true(done:query())
      is_true(early:elapsed_time(done) > 0 and done:elapsed_time(late) >= 0)
      equal(fast:tolist()[1], 2.0)
      is_true(slow:tolist()[8] > 8)
    end)
  end)
  it("keeps a failure on its stream", function()
    local s = tide.Stream("sim:0")
    local x = tide.ones({4}, {device = "sim:0"})
    local nine = tide.tensor({9}):to("sim:0")
    local bad = tide.stream(s, function() return x:index_select(1, nine) * 2 end)
    local good = x * 3
    equal(good:tolist(), {3.0, 3.0, 3.0, 3.0})
    local spoilt = bad:sum() + x -- on the first stream, of a value of the other
    raises("position 9", function() return spoilt:tolist() end)
    tide.stream(s, function()
      equal((x + 1):tolist(), {2.0, 2.0, 2.0, 2.0})
      x:add_(bad:sum())
    end)
    raises("position 9", function() return bad:tolist() end)
    equal(x:tolist(), {1.0, 1.0, 1.0, 1.0})
  end)
  it("finds memory that is cached for another stream", function()
    tide.synchronize()
    collectgarbage()
    tide.empty_cache("sim:1")
    local s = tide.Stream("sim:1")
    tide.sim.configure {index = 1, memory_limit = 8 << 20}
    local ok, message = pcall(function()
      for i = 1, 6 do
        local function fill() return tide.full({1500000}, i * 1.0, {device = "sim:1"}):sum():item() end
        equal(i % 2 == 0 and tide.stream(s, fill) or fill(), 1500000.0 * i)
        collectgarbage()
      end
    end)
    tide.sim.configure {index = 1, memory_limit = 1 << 30}
    if not ok then error(message, 0) end
  end)
  it("report that the host lacks memory for another one's thread", function()
    local script = here .. "/../support/many_streams.lua"
    -- First with sufficient memory: that stores the kernels on disk, as the compiler would not fit into the limit.
    equal(run_tide(script), "62\n")
    -- Whether only a thread lacks memory depends on the system's libraries.
    local said, outputs = "Stream: out of memory: no room for another thread\n", {}
    for kilobytes = 200000, 800000, 30000 do
      outputs[#outputs + 1] = run_tide(script, ("ulimit -v %d; exec"):format(kilobytes))
      if outputs[#outputs] == said then break end
    end
    equal(outputs[#outputs], said)
  end)
end)
