-- Workloads between the host and a GPU: copies, results that are waited for, and launches of small
-- kernels. Left out on other devices unless they are named.
local tide = require "tide"
local program = require "bench.program"

local kElements = 64 << 20
local kSmallTurns <const> = 500
local kSmallOps <const> = {
  "abs", "ceil", "cos", "erf", "exp", "floor", "log", "neg", "relu", "rsqrt", "sigmoid", "sign", "sin", "sqrt",
  "square", "tanh",
}
local kSmallKernels <const> = #kSmallOps

--- `arrays` of 256 MB are copied; make(device) gives the function that records the copies.
local function copies(name, words, arrays, make)
  return {
    name = name,
    words = words .. "; 256 MB each way",
    unit = "GB/s",
    more_is_better = true,
    figure = function(t) return arrays * kElements * 4 / t / 1e9 end,
    make = function(device)
      local run = make(device)
      tide.synchronize()
      return function()
        local results = table.pack(run())
        tide.synchronize()
        return results
      end
    end,
  }
end

local function up(device)
  local host = tide.ones({kElements}, {pin_memory = true})
  return function() return host:to(device) end
end

local function down(device)
  local there = tide.ones({kElements}, {device = device})
  return function() return there:cpu() end
end

--- As PyTorch copies fast: onto pinned memory that is there already.
local function down_pinned(device)
  local host = tide.zeros({kElements}, {pin_memory = true})
  local there = tide.ones({kElements}, {device = device})
  return function() return host:copy_(there) end
end

local function both_ways(device)
  local ways = {up(device), down(device)}
  local streams = {tide.Stream(device), tide.Stream(device)}
  return function()
    return tide.stream(streams[1], ways[1]), tide.stream(streams[2], ways[2])
  end
end

local function item_latency(device)
  local x = tide.ones(1, {device = device})
  return function()
    for _ = 1, 1000 do (x + 1):item() end
  end
end

--- Windows of kernels that differ in shape and op, so that no two become one kernel or one launch.
local function launches(device)
  local inputs = {}
  for i = 1, kSmallKernels do inputs[i] = tide.ones(i, 3, {device = device}) end
  return function()
    for _ = 1, kSmallTurns do
      local results = {}
      for i, x in ipairs(inputs) do results[i] = x[kSmallOps[i]](x) end
      tide.flush()
    end
    tide.synchronize(device)
  end
end

--- Figures of `launches` in a process whose windows never become graphs.
local function launches_without_graphs(reps, device)
  local command = ("TIDE_CUDA_GRAPHS=0 '%s' bench launches --json --reps 1 --device '%s'"):format(
    program.path(), device)
  local figures = {}
  for i = 1, reps do
    figures[i] = assert(tonumber(program.output(command):match '"best": ([%d.]+)'))
  end
  return figures
end

local function launches_row(name, words)
  return {
    name = name,
    words = ("%d windows of %d small kernels, %s"):format(kSmallTurns, kSmallKernels, words),
    unit = "launches/s",
    more_is_better = true,
    figure = function(t) return kSmallKernels * kSmallTurns / t end,
  }
end

local with_graphs = launches_row("launches", "as graphs where the device has them")
with_graphs.make = launches
local without_graphs = launches_row("launches_without_graphs", "kernel by kernel")
without_graphs.samples = launches_without_graphs

local list = {
  copies("copy_up", "a copy of pinned memory to the device", 1, up),
  copies("copy_down", "a copy to the host", 1, down),
  copies("copy_down_pinned", "a copy onto pinned memory", 1, down_pinned),
  copies("copies_both_ways", "both at once, on two streams", 2, both_ways),
  {
    name = "item_latency",
    words = "x + 1 of one element, read; 1000 times",
    unit = "us/item",
    figure = function(t) return t / 1000 * 1e6 end,
    make = item_latency,
  },
  with_graphs, without_graphs,
}
for _, row in ipairs(list) do row.only_gpu = true end
return list
