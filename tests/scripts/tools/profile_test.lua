-- tide.profile: what it records, when it begins and ends.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, is_true, is_nil, raises = test.equal, test.is_true, test.is_nil, test.raises

--- The row with a name; nil if there is none.
local function row_of(rows, name)
  for _, row in ipairs(rows) do
    if row.name == name then return row end
  end
end

--- The number of the line that calls this.
local function here() return debug.getinfo(2, "l").currentline end

describe("a profile", function(device)
  it("records ops, kernels and lines", function()
    local x = tide.rand(64, 32, {device = device})
    local line
    local p = tide.profile(function()
      line = here() + 1
      for _ = 1, 3 do (x:matmul(x:t()) * 2):exp():sum():item() end
    end)
    local ops = p:table{by = "op"}
    equal(row_of(ops, "matmul").calls, 3)
    is_true(row_of(ops, "matmul").device_ms > 0)
    equal(row_of(ops, "matmul").flops, 3 * 2 * 64 * 64 * 32)
    equal(row_of(ops, "exp").calls, 3)
    is_true(row_of(ops, "(wait: item)") ~= nil)
    local kernels = p:table{by = "kernel"}
    local product = row_of(kernels, "matmul")
    equal(product.calls, 3)
    equal(product.bytes, 3 * 4 * (64 * 32 + 32 * 64 + 64 * 64))
    equal(product.device, tostring(tide.device(device)))
    equal(#product.lines, 1)
    is_true(product.lines[1]:find(":" .. line, 1, true) ~= nil)
    local fused = row_of(kernels, "mul_exp_sum")
    equal(fused.calls, 3)
    local found
    for _, row in ipairs(p:table{by = "line"}) do
      if row.line == line then found = row end
    end
    equal(found.calls, 15)
    is_true(found.host_ms > 0 and found.device_ms > 0)
  end)
  it("names lookups among a kernel's ops", function()
    local x, rows = tide.ones(3, 4), tide.tensor({3, 1})
    tide.synchronize()
    local p = tide.profile(function() return x:index_select(1, rows):exp():tolist() end)
    equal(row_of(p:table{by = "kernel"}, "add_lookup_exp").calls, 1) -- after a check, whose result it adds
  end)
  it("divides a fused kernel among its lines", function()
    local x = tide.ones(1000, {device = device})
    tide.synchronize()
    local first
    local p = tide.profile(function()
      first = here() + 1
      local y = x * 2
      local z = y:exp()
      return z:sum()
    end)
    local times = {}
    for _, row in ipairs(p:table{by = "line"}) do times[row.line] = row.device_ms end
    is_true(times[first] > 0)
    test.close(times[first], times[first + 1], {rtol = 1e-9})
  end)
  it("records devices, memory and waits", function()
    local line, p, waits = here() + 2
    for _ = 1, 100 do  -- if the work is done before the read, nothing waits
      p = tide.profile(function() tide.ones(1 << 16, {device = device}):exp():sum():item() end)
      waits = p:table{by = "wait"}
      if waits[1] then break end
    end
    local one = row_of(p:summary().devices, tostring(tide.device(device)))
    is_true(one.launches > 0 and one.device_ms > 0 and one.busy_ms > 0)
    is_true(one.busy_ms <= p:summary().wall_ms)
    equal(waits[1].name, "item")
    equal(waits[1].line, line)
    is_true(waits[1].advice:find "on the device" ~= nil)
  end)
end)

describe("a profile of work that fails", function()
  it("ends with the error, and includes the work done", function()
    test.finally(function() tide.sim.configure {index = 0, fail_op = 0} end)
    local x = tide.ones(8, {device = "sim:0"})
    tide.synchronize()
    local p = tide.profile(function()
      x:exp():sum():item()
      tide.sim.configure {index = 0, fail_op = 1}
      local y = x:log():sum()
      raises("sum: the device failed", y.item, y)
      return x:sqrt():sum():item()
    end)
    equal(row_of(p:table{by = "kernel"}, "exp_sum").calls, 1)
    equal(row_of(p:table{by = "kernel"}, "sqrt_sum").calls, 1)
    for _, row in ipairs(p:table{by = "kernel"}) do
      is_true(row.device_ms >= 0 and row.device_ms <= p:summary().wall_ms)
    end
  end)
end)

describe("times of a profile", function()
  it("include the configured launch cost", function()
    tide.sim.configure {index = 0, launch_cost = 0.01}
    test.finally(function() tide.sim.configure {index = 0, launch_cost = 0} end)
    local x = tide.ones(8, {device = "sim:0"})
    tide.synchronize()
    local p = tide.profile(function() return x:exp():sum():item() end)
    local kernel = row_of(p:table{by = "kernel"}, "exp_sum")
    equal(kernel.calls, 1)
    is_true(kernel.device_ms >= 10)
    is_true(row_of(p:table{by = "wait"}, "item").wait_ms >= 10)
    is_true(p:summary().wall_ms >= 10)
  end)
end)

describe("a profile of a function", function()
  it("returns the function's results after itself", function()
    local p, a, b, c = tide.profile(function() return 1, nil, 3 end)
    is_true(tostring(p):find "^[%d.]+ ms, %d+ events" ~= nil)
    equal(a, 1)
    is_nil(b)
    equal(c, 3)
  end)
  it("ends on an error, and the next one can begin", function()
    raises("boom", tide.profile, function() error "boom" end)
    equal(#tide.profile(function() return tide.ones(2) + 1 end):table{by = "kernel"}, 1)
  end)
  it("ends when its value is closed", function()
    local kept
    do
      local p <close> = tide.profile{}
      kept = p
      raises("table: the profile is under way", p.table, p)
      tide.ones(2):exp():sum():item()
    end
    equal(row_of(kept:table(), "exp").calls, 1)
  end)
  it("continues across a yield", function()
    local run = coroutine.wrap(function()
      return tide.profile(function()
        coroutine.yield(1)
        return tide.ones(3):sum():item()
      end)
    end)
    equal(run(), 1)
    local p, value = run()
    equal(value, 3)
    is_true(p:summary().events > 0)
  end)
end)

describe("a profile inside another", function()
  it("is an error that names the line of the first", function()
    local line
    local message = raises("profile: a profile is under way, begun at", tide.profile, function()
      line = here() + 1
      tide.profile(function() end)
    end)
    is_true(message:find(":" .. line .. ": profile:", 1, true) ~= nil)
  end)
  it("is also an error on another thread", function()
    local _ <close> = tide.profile{}
    local thread = tide.thread(function()
      return pcall(require "tide".profile, function() end)
    end)
    local ok, message = thread:join()
    equal(ok, false)
    is_true(message:find "on another thread" ~= nil)
  end)
end)

describe("steps of a profile", function()
  it("wait, warm up, and are active, in cycles", function()
    local ready = {}
    local function note(p) ready[#ready + 1] = {p.steps, row_of(p:table(), "exp").calls} end
    local p = tide.profile{wait = 1, warmup = 1, active = 2, repeats = 2, on_trace_ready = note}
    for _ = 1, 12 do
      tide.ones(4):exp():sum():item()
      p:step()
    end
    p:stop()
    equal(ready, {{4, 2}, {8, 2}})
    equal(row_of(p:table(), "exp").calls, 2)
    raises("step: the profile is closed", p.step, p)
  end)
  it("follow each other without a pause if all are active", function()
    local counts = {}
    tide.profile(function(p)
      for _ = 1, 4 do
        tide.ones(4):exp():sum():item()
        p:step()
      end
    end, {active = 2, on_trace_ready = function(p)
      counts[#counts + 1] = row_of(p:table{by = "kernel"}, "fill_exp_sum").calls
    end})
    equal(counts, {2, 2})
  end)
  it("that never became active record nothing", function()
    local p = tide.profile(function() end, {wait = 3, active = 2})
    equal(tostring(p), "Profile (empty)")
    raises("the profile is empty: of wait = 3, warmup = 0 and active = 2 steps there were 0",
      p.table, p)
  end)
end)

describe("record_function", function()
  it("names ranges, with and without a function", function()
    local p = tide.profile(function()
      for _ = 1, 2 do
        local _ <close> = tide.profiler.record_function "forward"
      end
      equal({tide.profiler.record_function("backward", function(...) return ... end, 1, 2)}, {1, 2})
    end)
    local rows = p:table{by = "range"}
    equal(row_of(rows, "forward").calls, 2)
    equal(row_of(rows, "backward").calls, 1)
  end)
  it("does nothing without a profile", function()
    equal(tide.profiler.record_function("lonely", function() return 5 end), 5)
    raises("record_function: argument 1 (name): expected string, got number",
      tide.profiler.record_function, 3)
  end)
end)

describe("a profile with too many events", function()
  it("keeps the first ones and counts the others", function()
    local p = tide.profile(function()
      for i = 1, 2000 do tide.profiler.record_function("range", math.abs, i) end
    end, {max_events = 500})
    local summary = p:summary()
    is_true(summary.events >= 500 and summary.events < 1000)
    is_true(summary.dropped >= 1000)
    is_true(tostring(p):find "the profile was full" ~= nil)
  end)
end)

describe("invalid arguments of a profile", function()
  it("are reported", function()
    raises("profile: argument 1 (fn): expected function or a table of options, got number",
      tide.profile, 3)
    raises("profile: wait must be non-negative, got -1", tide.profile, {wait = -1})
    raises("profile: unknown option 'weight'", tide.profile, {weight = 1})
    raises("profile: active must be positive, got 0", tide.profile, {active = 0})
    local p = tide.profile(function() end)
    raises('table: by must be "op", "line", "kernel", "range" or "wait", got "oops"',
      p.table, p, {by = "oops"})
    raises('table: sort must be "device_ms", "host_ms", "wait_ms", "calls", "bytes" or "flops"',
      p.table, p, {sort = "oops"})
  end)
end)
