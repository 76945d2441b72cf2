-- Functions of tide that are written in Lua: shapes, conversions, gradients.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises

describe("broadcast_shapes", function()
  it("aligns shapes at their last dimensions", function()
    equal(tide.broadcast_shapes({2, 1}, {3}), {2, 3})
    equal(tide.broadcast_shapes({3, 1}, 4, {5, 1, 1}, {}), {5, 3, 4})
    equal(tide.broadcast_shapes(), {})
    equal(tide.broadcast_shapes({0}, {1}), {0})
  end)
  it("rejects incompatible shapes", function()
    raises("shapes cannot be broadcast: (3) and (2, 4)", tide.broadcast_shapes, {2, 4}, {3})
    raises("sizes must be non-negative integers, got -1", tide.broadcast_shapes, {-1})
    raises("expected shapes, got string", tide.broadcast_shapes, "2")
  end)
end)

describe("as_tensor", function(device)
  it("copies only if necessary", function()
    local x = tide.ones({2}, {device = device})
    test.is_true(rawequal(tide.as_tensor(x), x))
    test.is_true(tide.as_tensor(x, {dtype = "float32"}) == x)
    equal(tide.as_tensor(x, {dtype = "int64"}).dtype, "int64")
    equal(tide.as_tensor({{1, 2}}, {device = device}):tolist(), {{1, 2}})
  end)
end)

describe("gradient", function(device)
  local function numbers(values)
    return tide.tensor(values, {dtype = "float64", device = device})
  end
  it("computes slopes between neighbors", function()
    local slopes = tide.gradient(numbers {{1, 4, 9}, {2, 3, 5}}, {spacing = 2})
    close(slopes[1], {{0.5, -0.5, -2}, {0.5, -0.5, -2}})
    close(slopes[2], {{1.5, 2, 2.5}, {0.5, 0.75, 1}})
    equal(#tide.gradient(numbers {{1, 4, 9}, {2, 3, 5}}, {dim = -1}), 1)
  end)
  it("is exact for parabolas over any coordinates", function()
    local x = numbers {0, 1, 1.5, 3.5, 4}
    close(tide.gradient(x * x * 3 - x, {spacing = {x}, edge_order = 2})[1], x * 6 - 1)
    local edges = tide.gradient(x * x, {spacing = {x}})[1]
    close(edges, {1, 2, 3, 7, 7.5})
  end)
  it("keeps the precision of neighbors that nearly cancel", function()
    local x = tide.tensor({1, -1000, 1.0000001192092896}, {device = device})
    close(tide.gradient(x, {spacing = 0.5})[1][2], 1.1920928955078125e-07, {rtol = 0, atol = 0})
  end)
  it("of half types rounds once", function()
    local on = {dtype = "bfloat16", device = device}
    local x = tide.tensor({100, 100.5, 100, 101, 100.5}, on)
    local places = tide.tensor({0, 0.3, 1, 1.2, 2}, on)
    -- Slopes in float64 of the same numbers, rounded.
    equal(tide.gradient(x, {spacing = 0.3})[1]:tolist(),
      {1.6640625, 0.0, 0.83203125, 0.83203125, -1.6640625})
    equal(tide.gradient(x, {spacing = {places}})[1]:tolist(),
      {1.6640625, 0.9453125, 3.65625, 3.796875, -0.62890625})
    local edges = tide.gradient(x, {spacing = {places}, edge_order = 2})[1]
    equal({edges.dtype, edges:tolist()},
      {"bfloat16", {2.375, 0.9453125, 3.65625, 3.796875, -5.0625}})
    equal(tide.gradient(x, {spacing = {places:float()}})[1].dtype, "float32")
  end)
  it("reports dimensions that are too short", function()
    raises("expected 3 elements in dimension 1, got 2", tide.gradient, numbers {1, 2},
      {edge_order = 2})
    raises("dimension 1 requires 2 coordinates", tide.gradient, numbers {1, 2},
      {spacing = {numbers {1, 2, 3}}})
  end)
end)

describe("segment_reduce", function(device)
  local function tensor(values) return tide.tensor(values, {dtype = "float64", device = device}) end
  local function lengths(values) return tide.tensor(values, {device = device}) end
  local x
  test.before_each(function() x = tide.range(1, 12, {device = device}):double():view(6, 2) end)

  it("reduces segments, also empty ones", function()
    local expected = {
      sum = {{4.0, 6.0}, {0.0, 0.0}, {32.0, 36.0}},
      prod = {{3.0, 8.0}, {1.0, 1.0}, {3465.0, 5760.0}},
      max = {{3.0, 4.0}, {-math.huge, -math.huge}, {11.0, 12.0}},
      min = {{1.0, 2.0}, {math.huge, math.huge}, {5.0, 6.0}},
    }
    for reduce, values in pairs(expected) do
      equal(tide.segment_reduce(x, reduce, {lengths = lengths {2, 0, 4}}):tolist(), values)
      equal(tide.segment_reduce(x, reduce, {offsets = lengths {0, 2, 2, 6}}):tolist(), values)
    end
    local mean = tide.segment_reduce(x, "mean", {lengths = lengths {2, 0, 4}})
    equal(mean:isnan():all(2):tolist(), {false, true, false})
    equal({mean[1]:tolist(), mean[3]:tolist()}, {{2.0, 3.0}, {8.0, 9.0}})
  end)
  it("starts from an initial value", function()
    equal(tide.segment_reduce(x, "mean", {lengths = lengths {2, 0, 4}, initial = 2}):tolist(),
      {{3.0, 4.0}, {2.0, 2.0}, {8.5, 9.5}})
    equal(tide.segment_reduce(x, "max", {lengths = lengths {2, 0, 4}, initial = 7}):tolist(),
      {{7.0, 7.0}, {7.0, 7.0}, {11.0, 12.0}})
  end)
  it("accepts lengths of each row, and has gradients", function()
    local rows = x.T:contiguous():requires_grad_()
    local sums = tide.segment_reduce(rows, "sum", {lengths = lengths {{2, 4}, {1, 5}}, axis = 2})
    equal(sums:tolist(), {{4.0, 32.0}, {2.0, 40.0}});
    (sums * tensor {{1, 10}, {100, 1000}}):sum():backward()
    equal(rows.grad:tolist(), {{1.0, 1.0, 10.0, 10.0, 10.0, 10.0},
      {100.0, 1000.0, 1000.0, 1000.0, 1000.0, 1000.0}})
  end)
  it("reduces segments of each row of a batch", function()
    local rows = tide.stack({x, x * 10}) -- (2, 6, 2)
    local counts = lengths {{2, 0, 4}, {1, 5, 0}}
    local sums = tide.segment_reduce(rows, "sum", {lengths = counts, axis = 2})
    equal(sums:tolist(), {{{4.0, 6.0}, {0.0, 0.0}, {32.0, 36.0}},
      {{10.0, 20.0}, {350.0, 400.0}, {0.0, 0.0}}})
    local means = tide.segment_reduce(rows, "mean",
      {offsets = lengths {{0, 2, 6}, {0, 1, 6}}, axis = 2})
    equal(means:tolist(), {{{2.0, 3.0}, {8.0, 9.0}}, {{10.0, 20.0}, {70.0, 80.0}}})
  end)
  it("with unsafe ignores elements after the last segment", function()
    local sums = tide.segment_reduce(x, "sum", {lengths = lengths {2, 1}, unsafe = true})
    equal(sums:tolist(), {{4.0, 6.0}, {5.0, 6.0}})
  end)
  it("reports mismatches", function()
    local reduce = tide.segment_reduce
    raises("add up to 6, the size of dimension 1", reduce, x, "sum", {lengths = lengths {2, 1}})
    raises("lengths must be non-negative", reduce, x, "sum", {lengths = lengths {7, -1}})
    raises("either lengths or offsets", reduce, x, "sum")
    raises('reduce must be "sum", "mean", "prod", "max" or "min", got "median"',
      reduce, x, "median", {lengths = lengths {6}})
    raises("do not match dimension 2 of (6, 2)", reduce, x, "sum", {lengths = lengths {6}, axis = 2})
  end)
end)

describe("low-rank factorizations", function(device)
  it("are found by a few matmuls", function()
    tide.manual_seed(4)
    local options = {dtype = "float64", device = device}
    local a = tide.randn({2, 30, 3}, options):matmul(tide.randn({2, 3, 20}, options))
    for _, matrix in ipairs {a, a.mT} do
      local U, S, V = tide.svd_lowrank(matrix, {q = 3})
      test.close((U * S:unsqueeze(-2)):matmul(V.mT), matrix, {atol = 1e-10})
      test.close(S, tide.linalg.svdvals(matrix)[{ {}, {1, 3} }], {rtol = 1e-10})
    end
    local centred = a[1] - a[1]:mean(1, true)
    local _, S = tide.pca_lowrank(a[1], {q = 3})
    test.close(S, tide.linalg.svdvals(centred)[{ {1, 3} }], {rtol = 1e-10})
    raises("q must be 1 to the smaller size", tide.svd_lowrank, a, {q = 21})
  end)
end)
