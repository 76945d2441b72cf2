-- tide.memory: lines and names that hold memory, growth, and the text of out-of-memory errors.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, is_true, raises = test.equal, test.is_true, test.raises
local nn = tide.nn
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run_tide = dofile(here .. "/../support/program.lua")

local kMegabyte <const> = 1 << 20

local function line_here() return debug.getinfo(2, "l").currentline end

--- The row of this file's line; nil if it holds nothing.
local function row_of(rows, line)
  for _, row in ipairs(rows) do
    if row.line:match "memory_snapshot_test.lua:(%d+)$" == tostring(line) then return row end
  end
end

--- The line and size of the block with a name.
local function named(snapshot, name)
  for _, block in ipairs(snapshot.tensors) do
    if block.name == name then return block end
  end
end

local function has(text, part)
  if not text:find(part, 1, true) then error(("%q is not in %q"):format(part, text), 2) end
end

describe("a snapshot of memory", function(device)
  local function megabytes(count) return tide.ones({count, 512, 512}, {device = device}) end

  it("lists memory by line, and by the name of a variable", function()
    local line = line_here() + 1
    local first, list = megabytes(2), {{inner = megabytes(1)}, ["odd key"] = megabytes(1)}
    local view = first[1]
    local function use() return first, list, view end
    local s = tide.memory.snapshot(device)
    line = debug.getinfo(megabytes, "S").linedefined
    local row = row_of(s.holders, line)
    equal({row.bytes, row.blocks}, {4 * kMegabyte, 3})
    equal(row.names, {"first", "list[\"odd key\"]", "list[1].inner"})
    equal(named(s, "first").bytes, 2 * kMegabyte)
    equal(named(s, "view"), nil) -- has no block of its own
    equal(s.device, tide.device(device))
    equal(s.allocated, tide.memory_allocated(device))
    local sum = 0
    for i, holder in ipairs(s.holders) do
      sum = sum + holder.bytes
      is_true(i == 1 or holder.bytes <= s.holders[i - 1].bytes)
    end
    equal(sum, s.allocated)
    is_true(use)
    has(tostring(s), "first, list[\"odd key\"], list[1].inner")
    has(tostring(s), ("%s: "):format(tostring(tide.device(device))))
  end)

  it("names parameters, gradients, states of optimizers, globals and upvalues", function()
    local net = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8)):to(device)
    local optimizer = tide.optim.Adam(net:parameters())
    net(tide.ones({4, 8}, {device = device})):sum():backward()
    optimizer:step()
    global_of_the_test = tide.ones({3}, {device = device})
    local held = tide.ones({5}, {device = device})
    local function user() return held end
    local s = tide.memory.snapshot(device)
    for _, name in ipairs {"net[1].weight", "net[1].bias.grad", "net[2].running_mean", "global_of_the_test", "held",
      "optimizer.state[net[1].weight].exp_avg"} do
      is_true(named(s, name), name)
    end
    global_of_the_test = nil
    is_true(user)
  end)

  it("accepts names for values that no variable reaches, and lists the others as blocks without a name", function()
    local line = line_here() + 1
    local box = setmetatable({}, {__mode = "v", value = tide.ones({77}, {device = device}) * 2})
    local hidden = getmetatable(box).value
    local s = tide.memory.snapshot(device, {names = {mine = {hidden}}})
    equal(row_of(s.holders, line).names, {"hidden"})
    hidden = nil
    s = tide.memory.snapshot(device)
    equal(row_of(s.holders, line).names, {})
    has(tostring(s), "1 block without a name")
    s = tide.memory.snapshot(device, {names = {mine = {getmetatable(box).value}}})
    equal(row_of(s.holders, line).names, {"mine[1]"})
  end)

  it("lists the holders at the peak", function()
    local kept = megabytes(1)
    tide.synchronize(device)
    tide.reset_peak_memory_stats(device)
    local line = line_here() + 1
    local gone = tide.full({4, 512, 512}, 2.0, {device = device})
    tide.synchronize(device)
    gone:free()
    local s = tide.memory.snapshot(device)
    equal(row_of(s.holders, line), nil)
    equal(row_of(s.at_peak, line).bytes, 4 * kMegabyte)
    equal(s.peak, tide.max_memory_allocated(device))
    local sum = 0
    for _, holder in ipairs(s.at_peak) do sum = sum + holder.bytes end
    equal(sum, s.peak)
    has(tostring(s), "at the peak:\n")
    is_true(kept)
  end)

  it("shows growth between two", function()
    local log, freed = {}, megabytes(2)
    local a = tide.memory.snapshot(device)
    local line = line_here() + 1
    for i = 1, 3 do log[i] = tide.full({512, 512}, i + 0.5, {device = device}) end
    freed = nil
    local b = tide.memory.snapshot(device)
    local growth = tide.memory.diff(a, b)
    equal(growth.allocated, kMegabyte)
    equal(#growth.holders, 2)
    local row = row_of(growth.holders, line)
    equal({row.bytes, row.blocks, row.names}, {3 * kMegabyte, 3, {"log[1]", "log[2]", "log[3]"}})
    equal({growth.holders[2].bytes, growth.holders[2].blocks}, {-2 * kMegabyte, -1})
    has(tostring(growth), ("%s: +1.00 MB\n"):format(tostring(tide.device(device))))
    has(tostring(growth), "   +3.00 MB      +3  ")
    has(tostring(growth), "   -2.00 MB      -1  ")
    equal(#tide.memory.diff(b, b).holders, 0)
    is_true(freed == nil and #log == 3)
  end)

  it("handles freed tensors, and tables that contain themselves", function()
    local loop = {x = tide.ones({2}, {device = device})}
    loop.loop = loop
    local freed = tide.ones({2}, {device = device})
    freed:free()
    local s = tide.memory.snapshot(device)
    is_true(named(s, "loop.x") and not named(s, "freed"))
  end)
end)

describe("arguments of tide.memory", function()
  it("must be a device, and two snapshots of one", function()
    raises("snapshot: unknown option 'name'; did you mean 'names'?: known are device, names",
      tide.memory.snapshot, {name = {}})
    raises("snapshot: option 'names': expected table, got string", tide.memory.snapshot, {names = "net"})
    raises("no device is called 'simm'", tide.memory.snapshot, "simm")
    local a, b = tide.memory.snapshot "sim:0", tide.memory.snapshot "sim:1"
    raises("diff: argument 2 (b): expected table, got nothing", tide.memory.diff, a)
    raises("diff: b: expected a snapshot, got table", tide.memory.diff, a, {})
    raises("diff: the snapshots are of different devices: sim:0 and sim:1", tide.memory.diff, a, b)
    raises("tide.memory.snapshots: there is no such name; did you mean 'snapshot'?",
      function() return tide.memory.snapshots end)
  end)
end)

describe("an out-of-memory error", function()
  it("lists the five largest holders and the fix", function()
    local output, ok = run_tide [[-e "
tide.sim.configure {device = 'sim:0', memory_limit = 64 << 20}
local held, line = {}, {device = 'sim:0'}
for i = 1, 3 do held[i] = tide.ones({4, 512, 512}, line) end
held[4] = tide.ones({10, 512, 512}, line)
held[5] = tide.ones({8, 512, 512}, line)
held[6] = tide.ones({6, 512, 512}, line)
held[7] = tide.ones({4, 512, 512}, line)
held[8] = tide.ones({2, 512, 512}, line)
tide.synchronize()
tide.zeros({64, 512, 512}, line):tolist()"]]
    equal(ok, false)
    has(output, ":11: zeros: out of memory on sim:0: asked for 64.0 MB, in use 42.0 MB, cached 0 bytes, " ..
      "limit 64.0 MB; ")
    has(output, ":4 holds 12.0 MB in 3 blocks, (")
    local lines = {}
    for line, size in output:gmatch ":(%d+) holds (%d+%.0) MB in %d blocks?[,;]" do
      lines[#lines + 1] = line .. " " .. size
    end
    equal(lines, {"4 12.0", "5 10.0", "6 8.0", "7 6.0", "8 4.0"})
    has(output, "; drop what is not needed (tide.memory.snapshot names it), or compute in smaller parts")
  end)
  it("does so under a limit of the program, too", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write "local kept = tide.ones(5, 512, 512)\ntide.synchronize()\n"
    file:write "print(tide.ones(1024, 512, 512):tolist(), kept)\n"
    file:close()
    local output, ok = run_tide(("run %s --memory-limit 200M"):format(path))
    os.remove(path)
    equal(ok, false)
    has(output, ":3: ones: out of memory on cpu: asked for 1.0 GB")
    has(output, ":1 holds 6.0 MB in 1 block; drop what is not needed (tide.memory.snapshot names it)")
  end)
end)
