-- Workloads that order, pick and place elements: what compute ops do, 16 Mi elements each.
local tide = require "tide"

local kCount <const> = 16 * 1024 * 1024
local kRows <const>, kColumns <const> = kCount // 64, 64

local function numbers(device) return tide.randn(kCount, {device = device}) end

local function positions(device, last) return tide.randint(1, last, {kCount}, {device = device}) end

--- A workload that calls fn with what prepare(device) gives, and waits for its results.
local function row(name, words, prepare, fn)
  return {
    name = name,
    words = words,
    unit = "ms",
    figure = function(t) return t * 1e3 end,
    make = function(device)
      local inputs = table.pack(prepare(device))
      tide.synchronize()
      return function()
        local results = table.pack(fn(table.unpack(inputs, 1, inputs.n)))
        tide.synchronize(device)
        return results
      end
    end,
  }
end

return {
  row("sort_16m", "16 Mi numbers in order, and where they were", numbers,
    function(x) return x:sort() end),
  row("topk_16m", "the 100 largest of 16 Mi numbers, and where they are", numbers,
    function(x) return x:topk(100) end),
  row("unique_16m", "the different ones of 16 Mi integers up to 1 Mi",
    function(device) return positions(device, 1 << 20) end, function(x) return x:unique() end),
  row("cumsum_16m", "running sums of 16 Mi numbers", numbers, function(x) return x:cumsum(1) end),
  row("gather_16m", "16 Mi elements by random positions",
    function(device) return numbers(device), positions(device, kCount) end,
    function(x, index) return x:gather(1, index) end),
  row("scatter_add_16m", "16 Mi elements added at random positions",
    function(device) return numbers(device), positions(device, kCount) end,
    function(x, index) return tide.zeros_like(x):scatter_add(1, index, x) end),
  row("index_select_16m", "256 Ki random rows of 64",
    function(device)
      local x = tide.randn(kRows, kColumns, {device = device})
      return x, tide.randint(1, kRows, {kRows}, {device = device})
    end,
    function(x, index) return x:index_select(1, index) end),
  row("embedding_grad", "the gradient of 32 Ki rows of 64 that 256 Ki positions look up",
    function(device)
      local weight = tide.randn(1 << 15, kColumns, {device = device}):requires_grad_()
      local index = tide.randint(1, 1 << 15, {kRows}, {device = device})
      return weight, index, tide.randn(kRows, kColumns, {device = device})
    end,
    function(weight, index, dy)
      return tide.grad(tide.nn.functional.embedding(index, weight), weight, {grad_outputs = dy})
    end),
}
