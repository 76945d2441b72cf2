-- tide.explain: the kernels of small programs, why they are not fused, their work and their code.
local peaks = require "tide.tools.profiler.peaks"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, is_true, is_nil, raises = test.equal, test.is_true, test.is_nil, test.raises

--- Tensors of these sizes whose values are stored.
local function stored(device, ...)
  local x = tide.rand({...}, {device = device})
  tide.synchronize()
  return x
end

--- "loop mul add", "compute matmul": the steps of an explanation.
local function steps(e)
  local list = {}
  for i, step in ipairs(e) do list[i] = step.kind .. " " .. step.name end
  return list
end

local function reasons(e)
  local list = {}
  for i, note in ipairs(e.notes) do list[i] = note.reason end
  return list
end

local function causes(e)
  local list = {}
  for i, window in ipairs(e.windows) do list[i] = window.cause end
  return list
end

--- The results that a step stores, as {name = reason}.
local function kept(step)
  local found = {}
  for _, value in ipairs(step.writes) do found[value.name] = value.kept end
  return found
end

--- The number of the line that calls this.
local function here() return debug.getinfo(2, "l").currentline end

describe("the kernels of a function", function(device)
  it("are one for elementwise ops and the reduction after them", function()
    local x = stored(device, 64, 32)
    local e, y, z = tide.explain(function() return ((x * 2 + 1):exp()):sum(2), "more" end)
    equal(steps(e), {"loop mul add exp sum"})
    equal(#e, 1)
    equal(e.notes, {})
    equal(e[1].shape, {64, 32})
    equal(e[1].row, true)
    equal({#e[1].reads, #e[1].writes}, {1, 1})
    equal(tostring(e[1].device), tostring(tide.device(device)))
    equal(y.shape, {64})
    equal(z, "more")
  end)
  it("name their lines, shapes and types", function()
    local x = stored(device, 6)
    local line = here() + 1
    local e = tide.explain(function() return x:to "float64" + 1 end)
    equal(#e[1].lines, 1)
    is_true(e[1].lines[1]:find("explain_test.lua:" .. line, 1, true) ~= nil)
    local last = e[1].ops[#e[1].ops]
    equal({last.name, last.dtype, last.line, last.stored}, {"add", "float64", line, true})
    equal(last.shape, {6})
    equal(e[1].reads[1].dtype, "float32")
  end)
  it("are two for a matmul and the ops after it", function()
    local x, w = stored(device, 8, 16), stored(device, 16, 4)
    local e = tide.explain(function() return (x:matmul(w) * 2):relu() end)
    equal(steps(e), {"compute matmul", "loop mul relu"})
    equal(reasons(e), {"matmul is a compute op, not a loop"})
    equal({e.notes[1].op, e.notes[1].step.number, e.notes[1].other.number}, {"mul", 2, 1})
  end)
  it("end where a matmul cuts the window", function()
    local x = stored(device, 16, 16)
    local e = tide.explain(function() return (x + 1):matmul(x) end)
    equal(steps(e), {"loop add", "compute matmul"})
    equal(causes(e), {"matmul cuts the window", "explain flushes it"})
    equal({e[1].window, e[2].window}, {1, 2})
    equal(e[2].reads[1].number, e[1].writes[1].number)
  end)
  it("are two for different shapes", function()
    local x = stored(device, 4, 8)
    local e = tide.explain(function() return x + 1, x[1] * 2 end)
    equal(#e, 2)
    equal(reasons(e), {"different shapes: it iterates over (8), the other (4, 8)"})
  end)
  it("are two for ops without common data", function()
    local x, y = stored(device, 8), stored(device, 8)
    local e = tide.explain(function() return x + 1, y + 1 end)
    equal(reasons(e), {"it shares no data with the other"})
  end)
  it("are two for reductions along different dimensions", function()
    local x = stored(device, 40, 30)
    local e = tide.explain(function()
      local y = x * 2
      return y:sum(1), y:sum(2)
    end)
    equal(#e, 2)
    equal(reasons(e), {"it reduces along other dimensions"})
    equal(steps(e), {"loop mul sum", "loop mul sum"}) -- cheaper than storing and reading it
    equal(kept(e[1]).mul, nil)
  end)
  it("are two if one reads the other's result transposed", function()
    local x = stored(device, 8, 8)
    local e = tide.explain(function()
      local y = x * 2
      return y + 1, y:t() + 1
    end)
    equal(#e, 2)
    equal(reasons(e), {"it reads the other's result in another order, or only part of it"})
  end)
  it("are two for more arrays than a loop can have", function()
    local x = {}
    for i = 1, 30 do x[i] = stored(device, 4) end
    local e = tide.explain(function()
      local sum = x[1]
      for i = 2, 30 do sum = sum + x[i] end
      return sum
    end)
    equal(#e, 2)
    equal(e.notes[1].reason, "together they would use more than 24 arrays")
  end)
  it("are more for a long row: blocks, then their results, then a second pass", function()
    local x = stored(device, 100000)
    local e = tide.explain(function()
      local y = x * 2
      return y / y:sum()
    end)
    equal(steps(e), {"loop mul sum of blocks", "loop sum of the blocks' results", "loop mul div"})
    equal(e[2].shape, {25}) -- blocks of 4096
    is_true(reasons(e)[1]:find("rows of 100000 elements", 1, true) ~= nil)
    equal(e[1].bytes, 4 * 100000 + 4 * 25)
  end)
  it("have a step for each write to a part, and a copy of the old value", function()
    local x = stored(device, 8)
    local e = tide.explain(function()
      local y = x * 2
      y[{ {1, 2} }] = 0
      return y
    end)
    equal({e[1].kind, e[2].kind, e[3].kind}, {"loop", "copy", "loop"})
    is_true(e[2].unless_reused)
    equal(e[3].shape, {2})
    equal(reasons(e), {"a write to part of a tensor is a separate step"})
  end)
  it("are one for each op in eager mode", function()
    local x = stored(device, 8)
    local e = tide.explain(function() return tide.eager(function() return (x * 2 + 1):relu() end) end)
    equal(steps(e), {"loop mul", "loop add", "loop relu"})
    for _, cause in ipairs(causes(e)) do equal(cause, "eager mode: each op is flushed separately") end
  end)
  it("are cut after 128 ops", function()
    local x = stored(device, 8)
    local e = tide.explain(function()
      local y = x
      for i = 1, 130 do y = y + i end
      return y
    end)
    equal(causes(e), {"it is full: 128 ops", "explain flushes it"})
    equal({e.windows[1].ops, e.windows[2].ops}, {128, 2})
  end)
  it("are cut when a value is needed, and by backward", function()
    local x = stored(device, 8):requires_grad_()
    local e = tide.explain(function()
      local loss = (x * x):sum()
      loss:backward()
      return (x * 2):sum():item()
    end)
    equal(causes(e)[1], "backward flushes it")
    equal(causes(e)[#e.windows], "item needs a value")
  end)
  it("are followed by windows that compute values that were not stored", function()
    local x = stored(device, 8)
    local y
    local e = tide.explain(function()
      y = x * 2
      local _ = y + 1
      tide.flush()
      return y:sum():item()
    end)
    equal(e[1].ops[1].stored, false)
    equal(causes(e)[1], "flush flushes it")
    is_true(kept(e[2]).mul == nil or kept(e[2]).mul:find "needed again" ~= nil)
  end)
  it("explain why a reduction's result is stored that its own loop reads", function()
    local x = stored(device, 16, 32)
    local e = tide.explain(function() return x / x:sum(2, true) end)
    equal(#e, 1)
    equal(kept(e[1]), {
      sum = "results of reductions are stored", div = "nothing in the window reads it, but the script may",
    })
  end)
  it("describe in-place ops by their last value", function()
    local x = stored(device, 8)
    local e = tide.explain(function()
      x:add_(1)
      return x * 2
    end)
    equal(#e, 1)
    equal(kept(e[1]).add_ or kept(e[1]).add, "it is the last value assigned to a tensor in place")
  end)
  it("name a value that takes too much to be recomputed", function()
    local x = stored(device, 1000, 4)
    local e = tide.explain(function() return x:narrow(1, 1, 8) * 2 + 1 end)
    equal(kept(e[1]).mul, "recomputing it would need inputs that are relatively large, or many")
  end)
  it("include copies between devices", function()
    if tide.device(device) == tide.device "cpu" then return end
    local x = stored(device, 8)
    local e = tide.explain(function() return (x + 1):to "cpu" * 2 end)
    equal(steps(e), {"loop add", "copy to", "loop mul"})
    equal(e[2].bytes, 2 * 8 * 4)
    equal(e[2].reads[1].number, e[1].writes[1].number)
    equal(e[3].reads[1].number, e[2].writes[1].number)
  end)
end)

describe("the work of a step", function(device)
  it("follows from shapes", function()
    local x, w = stored(device, 8, 16), stored(device, 16, 4)
    local e = tide.explain(function() return x:matmul(w), (x * 2 + 1):sum(2), x:t():contiguous() end)
    equal({e[1].flops, e[1].bytes}, {2 * 8 * 16 * 4, 4 * (8 * 16 + 16 * 4 + 8 * 4)})
    equal(e[1].intensity, e[1].flops / e[1].bytes)
    equal({e[2].flops, e[2].bytes}, {3 * 8 * 16, 4 * (8 * 16 + 8)})
    equal({e[3].flops, e[3].bytes}, {0, 4 * 2 * 8 * 16})
    equal({e.flops, e.bytes}, {e[1].flops + e[2].flops, e[1].bytes + e[2].bytes + e[3].bytes})
  end)
  it("is unknown for compute ops that are not counted", function()
    local x = stored(device, 8)
    local e = tide.explain(function() return (x:sort()) end)
    is_nil(e[1].flops)
    is_nil(e[1].intensity)
    is_true(tostring(e):find("(1 step not counted)", 1, true) ~= nil)
  end)
  it("is bound by the slowest part according to the device's measured peaks", function()
    local of = peaks.of
    test.finally(function() peaks.of = of end)
    local x = stored(device, 64, 64)
    local function bounds(peak)
      peaks.of = function(name)
        equal(name, tostring(tide.device(device)))
        return peak
      end
      local e = tide.explain(function() return x:matmul(x), x + 1 end)
      return {e[1].bound or "-", e[2].bound or "-"}, e
    end
    equal(bounds{bandwidth = 1e9, flops = 1e9, launch_ms = 1e-6}, {"compute", "memory"})
    equal(bounds{bandwidth = 1e9, flops = 1e9, launch_ms = 10}, {"launch", "launch"})
    local unknown, e = bounds(nil)
    equal(unknown, {"-", "-"})
    is_true(tostring(e):find("tide info --measure", 1, true) ~= nil)
    local _, known = bounds{bandwidth = 1e9, flops = 1e9, launch_ms = 1e-6}
    is_true(tostring(known):find("tide info --measure", 1, true) == nil)
    test.close(known[2].least_ms, 1e3 * 2 * 4 * 64 * 64 / 1e9)
  end)
end)

describe("recorded ops of the device of a tensor", function(device)
  it("are explained without being flushed", function()
    local x = stored(device, 8)
    local y = x * 2 + 1
    local windows, waits = tide.statistics().windows, tide.wait_count()
    local e = tide.explain(y)
    equal({tide.statistics().windows, tide.wait_count()}, {windows, waits})
    equal(steps(e), {"loop mul add"})
    equal(e.state, "recorded")
    is_nil(e.windows[1].cause)
    is_true(tostring(e):find("not flushed yet", 1, true) ~= nil)
    equal(y:tolist(), (x:double() * 2 + 1):float():tolist())
  end)
  it("are none after a flush", function()
    local x = stored(device, 8)
    local inner = x * 2
    local y = inner + 1
    tide.flush()
    local e = tide.explain(y)
    equal({#e, e.state, tide.explain(inner).state}, {0, "stored", "recomputable"})
    is_true(tostring(e):find("0 steps", 1, true) ~= nil)
    equal({e:graph(), #e.windows}, {"\n", 0})
  end)
end)

describe("an explanation", function(device)
  it("holds no memory and does not change results", function()
    local x = stored(device, 1000)
    collectgarbage()
    local before = tide.memory_allocated(device)
    local e = tide.explain(function() return (x * 2):sum():item() end)
    collectgarbage()
    equal(tide.memory_allocated(device), before)
    equal(#e, 1)
  end)
  it("ends with its function, however that ends", function()
    local x = stored(device, 8)
    raises("no more", function() tide.explain(function() error "no more" end) end)
    raises("explain: the function calls explain itself",
      function() tide.explain(function() tide.explain(function() end) end) end)
    equal(#tide.explain(function() return x + 1 end), 1)
  end)
  it("supports yields", function()
    local x = stored(device, 8)
    local run = coroutine.wrap(function()
      return tide.explain(function()
        local y = x + 1
        coroutine.yield "in between"
        return y * 2
      end)
    end)
    equal(run(), "in between")
    equal(steps(run()), {"loop add mul"})
  end)
  it("does not include what was recorded before", function()
    local x = stored(device, 8)
    local before = x + 1
    local e = tide.explain(function() return before * 2 end)
    equal(steps(e), {"loop mul"})
  end)
  it("has a text with a row for each step", function()
    local x = stored(device, 8, 8)
    local text = tostring(tide.explain(function() return x:matmul(x) + 1 end))
    for _, part in ipairs {
      "2 steps of 2 ops in 1 window", "1  compute  matmul", "2  loop     add", "why not fused",
      "matmul is a compute op, not a loop: add at ", "explain flushes it",
    } do
      is_true(text:find(part, 1, true) ~= nil)
    end
  end)
  it("accepts a function or a tensor", function()
    raises("explain: argument 1 (fn): expected function or tensor, got number", tide.explain, 3)
    raises("explain: argument 1 (fn): expected function or tensor, got nothing", tide.explain)
    raises("explain: argument 1 (fn): expected function or tensor, got table", tide.explain, {})
    raises("explain: too many arguments: argument 2 is a number", tide.explain, print, 3)
    local callable = setmetatable({}, {__call = function() return tide.ones(2, {device = device}) + 1 end})
    equal(#tide.explain(callable), 1)
  end)
end)

describe("the code of a loop", function(device)
  it("is a program, LLVM IR, assembly and PTX", function()
    local x = stored(device, 8, 8)
    local step = tide.explain(function() return (x * 2 + x):sum(2) end)[1]
    local program = step:program()
    for _, part in ipairs {"for (8), row 8", "load a0", "mul %0, %1", "reduce sum %3", "store a1, %4"} do
      is_true(program:find(part, 1, true) ~= nil)
    end
    local rows = tide.tensor({3, 1}, {device = device})
    local lookup = tide.explain(function() return x:index_select(1, rows) * 2 end)[2]:program()
    is_true(lookup:find("read at computed positions", 1, true) ~= nil)
    is_true(step:ir():find("define void @kernel", 1, true) ~= nil)
    is_true(step:asm():find("kernel:", 1, true) ~= nil)
    is_true(step:ptx():find(".entry kernel", 1, true) ~= nil)
    for _, architecture in ipairs {"sm_75", "sm_80", "sm_90"} do
      is_true(step:ptx(architecture):find(".target " .. architecture, 1, true) ~= nil)
    end
    raises([[ptx: architecture must be "sm_75", "sm_80" or "sm_90", got "sm_60"]], step.ptx, step, "sm_60")
    raises([[ptx: architecture must be "sm_75", "sm_80" or "sm_90", got 80]], step.ptx, step, 80)
  end)
  it("exists for loops only", function()
    local x = stored(device, 8, 8)
    local step = tide.explain(function() return x:matmul(x) end)[1]
    for _, name in ipairs {"program", "ir", "asm", "ptx"} do
      raises(name .. ": compute 1 (matmul) is not a fused loop, so no code is generated for it", step[name], step)
    end
  end)
end)
