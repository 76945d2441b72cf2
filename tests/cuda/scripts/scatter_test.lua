-- Scatter with repeated positions: the same values as on the cpu, which adds in order.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

local kTypes = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8"}

--- Values whose sums are rounded, if the type allows.
local function numbers(dtype, ...)
  local x = tide.rand(...) * 200 - 60
  return dtype:find("int") and (x:abs() % 100):to("int64"):to(dtype) or x:to(dtype)
end

local function positions(limit, ...)
  return (tide.rand(...) * limit):floor():to("int64") + 1
end

describe("scatter on cuda", function()
  local function same(base, dim, index, source, method)
    local here = base[method](base, dim, index, source)
    assert(base.device == tide.device("cpu"))
    local there = base:cuda()[method](base:cuda(), dim, index:cuda(), source:cuda())
    test.identical(there:cpu(), here)
  end

  for _, dtype in ipairs(kTypes) do
    it("is in order in " .. dtype, function()
      tide.manual_seed(3)
      for _, shape in ipairs {{1}, {7}, {1100}, {5, 4}, {4, 1, 6}, {2, 1030}} do
        for dim = 1, #shape do
          local base = numbers(dtype, shape)
          local index, source = positions(math.min(shape[dim], 5), shape), numbers(dtype, shape)
          same(base, dim, index, source, "scatter_add")
          same(base, dim, index, source, "scatter")
        end
      end
    end)

    it("supports rows and strided sources in " .. dtype, function()
      tide.manual_seed(4)
      local base, index = numbers(dtype, {6, 5}), positions(6, {40})
      local rows = numbers(dtype, {5, 40}):t()
      same(base, 1, index, rows, "index_add")
      same(base, 1, index[{{1, 6}}], rows[{{1, 6}}], "index_copy")
      same(base:t():contiguous(), 2, index, rows:t(), "index_add")
    end)
  end

  it("is in order at very many positions", function()
    tide.manual_seed(5)
    same(numbers("float32", {300}), 1, positions(300, {270000}), numbers("float32", {270000}), "scatter_add")
  end)

  it("supports repeated positions in bool", function()
    local base = tide.tensor({false, false, true, false}, {device = "cuda"})
    local index = tide.tensor({1, 1, 3, 4}, {device = "cuda"})
    local source = tide.tensor({true, false, false, false}, {device = "cuda"})
    test.same_type(base:scatter_add(1, index, source):tolist(), {true, false, true, false})
  end)

  it("names a position that is out of range", function()
    local x, index = tide.zeros(4, 3, {device = "cuda"}), tide.tensor({1, 5, 2}, {device = "cuda"})
    local wrong = x:index_add(1, index, tide.ones(3, 3, {device = "cuda"}))
    test.raises("position 5 is out of range", function() return wrong:tolist() end)
    test.same_type(x:sum():item(), 0.0)
  end)

  it("adds gradients of rows that were gathered repeatedly", function()
    tide.manual_seed(5)
    local function gradient(on)
      tide.manual_seed(6)
      local weight = tide.randn(11, 8):to(on):requires_grad_()
      local rows = positions(11, {300}):to(on)
      local y = tide.nn.functional.embedding(rows, weight) * tide.randn(300, 8):to(on)
      y:sum():backward()
      return weight.grad:to("cpu")
    end
    test.equal(gradient("cuda"), gradient("cpu"))
  end)
end)
