-- Selecting elements on a CUDA device: the same elements in the same order as on the cpu.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

--- A mask of which about one element in `sparse` is true.
local function mask(sparse, ...) return tide.rand(...):lt(1 / sparse) end

describe("nonzero", function()
  local function same(x) test.identical(x:cuda():nonzero():cpu(), x:nonzero()) end

  for _, length in ipairs {1, 15, 16, 17, 4095, 4096, 4097, 50000} do
    it("finds those of " .. length, function()
      tide.manual_seed(length)
      for _, sparse in ipairs {1, 2, 100} do same(mask(sparse, {length})) end
      same(tide.zeros(length))
      same(tide.ones(length))
    end)
  end

  it("returns indices in every dimension", function()
    tide.manual_seed(1)
    for _, shape in ipairs {{3, 5}, {70, 1, 90}, {2, 3, 4, 5, 6}, {1, 1, 1}, {4, 0, 2}} do same(mask(3, shape)) end
    same(tide.tensor(true))
  end)

  it("supports other types and unaligned views", function()
    tide.manual_seed(2)
    same(tide.tensor {0.0, -0.0, 0 / 0, 1, math.huge})
    same(tide.randint(0, 2, {300}, {dtype = "int8"}))
    local x = mask(2, {9000})
    for first = 1, 3 do
      test.identical(x:cuda()[{{first, 8999}}]:nonzero():cpu(), x[{{first, 8999}}]:nonzero())
    end
    same(mask(2, {40, 50}):t())
  end)

  it("adds up the counts of many parts", function()
    local x = tide.zeros({1100 * 4096}, {dtype = "bool"})
    x[7], x[1030 * 4096], x[1100 * 4096] = true, true, true
    same(x)
  end)
end)

describe("ops based on nonzero", function()
  it("selects, counts and finds what differs", function()
    tide.manual_seed(3)
    local x, chosen = tide.randn(60, 200), mask(4, {60, 200})
    local function same(of)
      local there, here = of(x:cuda(), chosen:cuda()), of(x, chosen)
      test.identical(there:cpu(), here)
    end
    same(function(y, m) return y:masked_select(m) end)
    same(function(y, m) return y[m] end)
    same(function(y) return (y * 3):floor():unique() end)
    same(function(y) return (y * 3):floor():to("int64"):abs():add(1):ravel():bincount() end)
    same(function(y) return y:histc(20, -2, 2) end)
  end)
end)
