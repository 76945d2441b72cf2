-- scatter_reduce and index_reduce: values and gradients are PyTorch's.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

-- {reduce, include_self, values, gradient of x, gradient of the source}, for the tensors below and
-- results weighted by 1..6: numbers of PyTorch 2.12.
local kExpected <const> = {
  {"sum", true, {{6, 1, 3}, {20, 5, 6}},
    {{1, 2, 3}, {4, 5, 6}}, {{1, 2, 1}, {4, 4, 4}}},
  {"sum", false, {{5, -1, 3}, {16, 5, 6}},
    {{0, 0, 3}, {0, 5, 6}}, {{1, 2, 1}, {4, 4, 4}}},
  {"prod", true, {{6, -2, 3}, {560, 5, 6}},
    {{6, -2, 3}, {560, 5, 6}}, {{3, 4, 2}, {320, 448, 560}}},
  {"prod", false, {{6, -1, 3}, {140, 5, 6}},
    {{0, 0, 3}, {0, 5, 6}}, {{3, 2, 2}, {80, 112, 140}}},
  {"mean", true, {{2, 0.5, 3}, {5, 5, 6}},
    {{0.3333333333, 1, 3}, {1, 5, 6}}, {{0.3333333333, 1, 0.3333333333}, {1, 1, 1}}},
  {"mean", false, {{2.5, -1, 3}, {5.333333333, 5, 6}},
    {{0, 0, 3}, {0, 5, 6}}, {{0.5, 2, 0.5}, {1.333333333, 1.333333333, 1.333333333}}},
  {"amax", true, {{3, 2, 3}, {7, 5, 6}},
    {{0, 2, 3}, {0, 5, 6}}, {{0, 0, 1}, {4, 0, 0}}},
  {"amax", false, {{3, -1, 3}, {7, 5, 6}},
    {{0, 0, 3}, {0, 5, 6}}, {{0, 2, 1}, {4, 0, 0}}},
  {"amin", true, {{1, -1, 3}, {4, 5, 6}},
    {{1, 0, 3}, {2, 5, 6}}, {{0, 2, 0}, {0, 0, 2}}},
  -- (PyTorch's last one is halved, as if x, which is 4 there too, counted.)
  {"amin", false, {{2, -1, 3}, {4, 5, 6}},
    {{0, 0, 3}, {0, 5, 6}}, {{1, 2, 0}, {0, 0, 4}}},
}

local function double(values, options)
  return tide.tensor(values, {dtype = "float64", requires_grad = options})
end

describe("scatter_reduce", function(device)
  local index = tide.tensor({{1, 2, 1}, {1, 1, 1}}, {device = device})
  for _, row in ipairs(kExpected) do
    local reduce, include_self, values, of_x, of_source = table.unpack(row)
    it(("%s, include_self = %s"):format(reduce, include_self), function()
      local x = double({{1, 2, 3}, {4, 5, 6}}):to(device):requires_grad_()
      local source = double({{2, -1, 3}, {7, 5, 4}}):to(device):requires_grad_()
      local y = x:scatter_reduce(2, index, source, reduce, {include_self = include_self})
      test.close(y, values)
      local weights = tide.range(1, 6, {device = device}):reshape(2, 3)
      local dx, dsource = tide.grad((y * weights):sum(), {x, source})
      test.close(dx, of_x)
      test.close(dsource, of_source)
    end)
  end
  it("finds the minima and maxima of every type if x does not count", function()
    for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64", "uint8", "int8", "int64"} do
      local x = tide.full({3}, 50, {dtype = dtype, device = device})
      local at = tide.tensor({1, 3, 3}, {device = device})
      local source = tide.tensor({100, 7, 9}, {dtype = dtype, device = device})
      local options = {include_self = false}
      test.equal(x:scatter_reduce(1, at, source, "amin", options):tolist(), {100, 50, 7})
      test.equal((x * 2):scatter_reduce(1, at, source, "amax", options):tolist(), {100, 100, 9})
    end
    local x = tide.zeros(2, {device = device})
    local at = tide.tensor({1, 1, 2}, {device = device})
    local source = tide.tensor({-math.huge, -math.huge, 0 / 0}, {device = device})
    local y = x:scatter_reduce(1, at, source, "amax", {include_self = false})
    test.equal(y[1]:item(), -math.huge)
    test.is_true(y[2]:item() ~= y[2]:item())
  end)
  it("combines many elements at few positions like a loop", function()
    local n = 5000
    local places, numbers = {}, {}
    for i = 1, n do places[i], numbers[i] = i * 7919 % 13 + 1, (i * 104729 % 1009) - 500 end
    local best, sums = {}, {}
    for i = 1, 13 do best[i], sums[i] = 0, 0 end
    for i = 1, n do
      local place = places[i]
      best[place] = math.max(best[place], numbers[i])
      sums[place] = sums[place] + numbers[i]
    end
    local zeros = tide.zeros({13}, {dtype = "int64", device = device})
    local at = tide.tensor(places, {device = device})
    local source = tide.tensor(numbers, {device = device})
    test.same_type(zeros:scatter_reduce(1, at, source, "amax"):tolist(), best)
    test.same_type(zeros:scatter_reduce(1, at, source, "sum"):tolist(), sums)
  end)
  it("passes gradcheck", function()
    local x, source = double({1, 2, 3}, true), double({4, 9, 5, 6}, true)
    local at = tide.tensor {1, 3, 1, 3}
    for _, reduce in ipairs {"sum", "prod", "mean", "amax", "amin"} do
      test.is_true(tide.autograd.gradcheck(function(x, source)
        return x:scatter_reduce(1, at, source, reduce)
      end, {x, source}))
    end
  end)
  it("propagates nan, writes in place, and reports errors", function()
    local y = tide.zeros(2):scatter_reduce(1, tide.tensor {1, 1}, tide.tensor {0 / 0, 1}, "amin")
    test.is_true(y[1]:isnan():item())
    local x = tide.ones(2)
    test.same_type(x:scatter_reduce_(1, tide.tensor {2}, tide.tensor {5.0}, "sum"), tide.tensor {1.0, 6})
    test.raises('reduce must be "sum", "prod", "mean", "amax" or "amin", got "max"', x.scatter_reduce, x, 1,
      tide.tensor {2}, tide.tensor {5.0}, "max")
    test.raises("the types differ: float32 and int64", x.scatter_reduce, x, 1, tide.tensor {2},
      tide.tensor {5}, "sum")
  end)
end)

describe("index_reduce", function()
  it("combines parts", function()
    local x = tide.ones(2, 2)
    local source = tide.tensor {{2.0, 3}, {4, 5}}
    test.same_type(x:index_reduce(1, tide.tensor {2, 2}, source, "prod"), tide.tensor {{1.0, 1}, {8, 15}})
    test.equal(x:index_reduce(1, tide.tensor {2, 2}, source, "mean", {include_self = false}),
      tide.tensor {{1.0, 1}, {3, 4}})
    test.raises("does not fit a source", x.index_reduce, x, 1, tide.tensor {2}, source, "prod")
  end)
end)

describe("in-place shapes", function()
  it("make a tensor another view of its elements", function()
    local x = tide.tensor {{1, 2, 3}}
    local base = x
    x:t_()
    test.equal(base.shape, {3, 1})
    test.equal(x:squeeze_().shape, {3})
    test.equal(x:unsqueeze_(1):transpose_(1, 2).shape, {3, 1})
    x[2] = 7
    test.equal(base, tide.tensor {{1}, {7}, {3}})
  end)
  it("preserve gradients, and leaves", function()
    local w = tide.tensor({{1.0, 2}}, {requires_grad = true})
    local y = w * 2
    y:t_()
    local loss = (y * tide.tensor {{3.0}, {4}}):sum()
    loss:backward()
    test.same_type(w.grad, tide.tensor {{6.0, 8}})
    test.raises("a leaf that requires a gradient cannot be changed in place", w.t_, w)
    tide.no_grad(function() w:t_() end)
    test.is_true(w.requires_grad and w.is_leaf)
    test.equal(w.shape, {2, 1})
  end)
end)

describe("linalg.eig", function()
  it("reports that complex numbers are not supported", function()
    test.raises("use linalg.eigh for a symmetric matrix", tide.linalg.eig, tide.eye(2))
    test.raises("use linalg.eigvalsh", tide.linalg.eigvals, tide.eye(2))
  end)
end)
