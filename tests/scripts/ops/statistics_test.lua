-- Statistics and searches: weights, edges, sorters, runs along a dimension. Expected numbers are
-- PyTorch's, positions one higher.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local check_gradient = dofile(here .. "/../support/gradient.lua")
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises

describe("bincount", function(device)
  it("counts, or sums weights in their floating type", function()
    local x = tide.tensor({2, 1, 4, 2}, {device = device})
    equal(x:bincount():tolist(), {1, 2, 0, 1})
    equal(x:bincount({minlength = 5}):tolist(), {1, 2, 0, 1, 0})
    for _, case in ipairs {{"float32", "float32"}, {"float64", "float64"}, {"int64", "float64"},
      {"float16", "float64"}} do
      local weights = tide.tensor({1, 2, 3, 4}, {device = device}):to(case[1])
      local sums = x:bincount({weights = weights})
      equal(sums.dtype, case[2])
      equal(sums:tolist(), {2.0, 5.0, 0.0, 3.0})
    end
  end)
end)

describe("cov", function(device)
  local x, counts, shares
  test.before_each(function()
    x = tide.tensor({{1.0, 2, 4}, {3, 1, 0}}, {dtype = "float64", device = device})
    counts = tide.tensor({1, 2, 3}, {device = device})
    shares = tide.tensor({0.5, 1, 2}, {dtype = "float64", device = device})
  end)

  it("repeats observations by fweights", function()
    close(x:cov {fweights = counts},
      {{1.766666666667, -1.433333333333}, {-1.433333333333, 1.366666666667}})
    -- The same as repeated observations.
    close(x:cov {fweights = counts}, x:repeat_interleave(counts, 2):cov())
  end)
  it("weights observations by aweights", function()
    close(x:cov {aweights = shares, correction = 0},
      {{1.428571428571, -1.142857142857}, {-1.142857142857, 1.061224489796}})
    close(x:cov {aweights = shares, fweights = counts},
      {{1.310344827586, -0.913793103448}, {-0.913793103448, 0.741379310345}})
  end)
  it("has gradients of values and of weights", function()
    check_gradient(function(x, w) return x:cov {aweights = w, fweights = counts} end, x, shares)
  end)
  it("rejects invalid weights", function()
    local function refused(message, options)
      raises(message, function() return x:cov(options) end)
    end
    local on = {device = device}
    refused("expected fweights of an integer type, got float64", {fweights = shares})
    refused("expected aweights of a floating type, got int64", {aweights = counts})
    refused("a weight is negative", {fweights = tide.tensor({1, -2, 3}, on)})
    refused("a weight is negative", {aweights = -shares})
    refused("one weight for each of 3 observations", {fweights = tide.tensor({1, 2}, on)})
    refused("one weight for each of 3 observations", {fweights = counts:unsqueeze(1)})
    refused("must not add up to 0", {fweights = tide.tensor({0, 0, 0}, on)})
  end)
end)

describe("histogram", function(device)
  local x, edges, weight
  test.before_each(function()
    x = tide.tensor({0, 0.5, 1, 2, 3, 7, -1, 2.5}, {device = device}):float()
    edges = tide.tensor({0, 1, 2.5, 3}, {device = device})
    weight = tide.range(1, 8, {device = device}):float()
  end)

  it("counts between edges, the last of which belongs to the last bin", function()
    local counts, own = x:histogram(edges)
    equal(counts:tolist(), {2.0, 2.0, 2.0})
    equal(own:tolist(), edges:tolist())
    equal((x:histogram(tide.tensor({0.0, 1, 1, 2}, {device = device}))):tolist(), {2.0, 0.0, 2.0})
  end)
  it("sums weights, and divides densities by the width of each bin", function()
    close((x:histogram(edges, {weight = weight})), {3, 7, 13})
    close((x:histogram(edges, {weight = weight, density = true})),
      {3 / 23, 7 / 23 / 1.5, 13 / 23 / 0.5})
  end)
  it("puts a value at an edge into the upper bin, regardless of how the edge is rounded", function()
    for _, bins in ipairs {7, 13, 30, 100} do
      local _, own = tide.zeros(1, {device = device}):histogram(bins, {range = {-3, 1}})
      local expected = tide.ones(bins, {device = device})
      expected[-1] = 2
      equal((own:histogram(bins, {range = {-3, 1}})):tolist(), expected:tolist())
    end
  end)
  it("ignores nan", function()
    equal((tide.tensor({1.0, 0 / 0}, {device = device}):histogram(edges)):tolist(),
      {0.0, 1.0, 0.0})
  end)
  it("rejects edges of another type or shape", function()
    raises("histogram: the types differ: float32 and float64", x.histogram, x, edges:double())
    raises("2 edges or more", x.histogram, x, edges[{{1, 1}}])
    raises("2 edges or more", x.histogram, x, edges:unsqueeze(1))
  end)
end)

describe("histogramdd", function(device)
  local points, weight
  test.before_each(function()
    points = tide.tensor({{0.0, 1}, {1, 0}, {2, 0}, {2, 2}}, {device = device})
    weight = tide.tensor({1.0, 2, 4, 8}, {device = device})
  end)

  it("counts points in boxes of equal size", function()
    local sums, edges = tide.histogramdd(points, {3, 3}, {weight = weight})
    equal(sums:tolist(), {{0.0, 1.0, 0.0}, {2.0, 0.0, 0.0}, {4.0, 0.0, 8.0}})
    equal(#edges, 2)
    close(edges[1], {0, 2 / 3, 4 / 3, 2})
    equal((tide.histogramdd(points, 2)):tolist(), {{0.0, 1.0}, {2.0, 1.0}})
    equal((tide.histogramdd(points, {2, 2}, {range = {0, 1, 0, 1}, density = true})):tolist(),
      {{0.0, 2.0}, {2.0, 0.0}})
  end)
  it("counts between edges", function()
    local edges = {tide.tensor({0.0, 1, 2}, {device = device}),
      tide.tensor({0.0, 2}, {device = device})}
    equal((tide.histogramdd(points, edges)):tolist(), {{1.0}, {3.0}})
    close((tide.histogramdd(points, edges, {weight = weight, density = true})),
      {{1 / 30}, {14 / 30}})
  end)
  it("accepts nan points, and no points", function()
    equal((tide.histogramdd(tide.zeros({2, 2, 3}, {device = device}), 2)).shape, {2, 2, 2})
    local sums, edges = tide.histogramdd(tide.zeros({0, 2}, {device = device}), 2)
    equal(sums:tolist(), {{0.0, 0.0}, {0.0, 0.0}})
    equal(edges[2]:tolist(), {0.0, 0.5, 1.0})
  end)
  it("reports mismatches", function()
    raises("got 1 bins for 2 coordinates", tide.histogramdd, points, {2})
    raises("expected a range of 4 numbers, got 2", tide.histogramdd, points, 2, {range = {0, 1}})
    raises("expected rows of coordinates", tide.histogramdd, points[1], 2)
    raises("got 3 weights for 4 points", tide.histogramdd, points, 2,
      {weight = weight[{{1, 3}}]})
  end)
end)

describe("searchsorted", function(device)
  it("accepts a sorter for a sequence that is not sorted", function()
    local row = tide.tensor({5, 1, 3}, {device = device})
    local values = tide.tensor({0, 2, 5, 6}, {device = device})
    equal(tide.searchsorted(row, values, {sorter = row:argsort()}):tolist(), {1, 2, 3, 4})
    local rows = tide.tensor({{5.0, 1, 3}, {2, 9, 4}}, {device = device})
    local places = tide.searchsorted(rows, tide.tensor({{2.0, 5}, {2, 5}}, {device = device}),
      {sorter = rows:argsort(), right = true})
    equal(places:tolist(), {{2, 4}, {2, 3}})
    raises("expected a sorter of shape (3), got (2)", tide.searchsorted, row, values,
      {sorter = tide.tensor({1, 2}, {device = device})})
    raises("out of range", function()
      return tide.searchsorted(row, values, {sorter = tide.tensor({1, 2, 8}, {device = device})})
        :tolist()
    end)
  end)
end)

describe("unique_consecutive", function(device)
  local function runs(values, dim)
    local x = tide.is_tensor(values) and values or tide.tensor(values, {device = device})
    local unique, inverse, counts = x:unique_consecutive {
      dim = dim, return_inverse = true, return_counts = true}
    return unique:tolist(), inverse:tolist(), counts:tolist()
  end

  it("compares slices along a dimension", function()
    local rows = {{1, 1, 2, 2}, {1, 1, 2, 3}, {1, 1, 2, 3}, {1, 1, 2, 2}}
    local unique, inverse, counts = runs(rows, 1)
    equal(unique, {{1, 1, 2, 2}, {1, 1, 2, 3}, {1, 1, 2, 2}})
    equal(inverse, {1, 2, 2, 3})
    equal(counts, {1, 2, 1})
    unique, inverse, counts = runs(rows, -1)
    equal(unique, {{1, 2, 2}, {1, 2, 3}, {1, 2, 3}, {1, 2, 2}})
    equal(inverse, {1, 1, 2, 3})
    equal(counts, {2, 1, 1})
  end)
  it("distinguishes rows with nan, and accepts no rows", function()
    local _, _, counts = runs({{1.0, 2}, {1, 2}, {1, 0 / 0}, {1, 0 / 0}}, 1)
    equal(counts, {2, 1, 1})
    local none = tide.zeros({0, 3}, {device = device})
    equal(none:unique_consecutive({dim = 1}).shape, {0, 3})
    raises("there are no elements: (0, 3)", none.unique_consecutive, none, {dim = 2})
    raises("unique_consecutive: expected at least 1 dimension, got ()", function()
      return tide.tensor(3, {device = device}):unique_consecutive {dim = 1}
    end)
  end)
end)

describe("diff", function(device)
  it("joins prepended and appended values", function()
    local x = tide.tensor({1, 4, 9}, {device = device})
    local before = tide.tensor({0.5}, {device = device})
    local after = tide.tensor({20}, {device = device})
    equal(x:diff({prepend = before, append = after}):tolist(), {0.5, 3.0, 5.0, 11.0})
    local rows = tide.tensor({{1, 4, 9}, {2, 3, 4}}, {device = device})
    local last = tide.tensor({{0}, {1}}, {device = device})
    equal(rows:diff({n = 2, append = last}):tolist(), {{2, -14}, {0, -4}})
    equal(rows:diff({n = 0, append = last}):tolist(), rows:tolist())
    raises("the numbers of dimensions differ: (3) and ()", x.diff, x, {prepend = tide.tensor(0, {device = device})})
  end)
  it("has gradients of all parts", function()
    local function row(...)
      return tide.tensor({{...}}, {dtype = "float64", device = device}):reshape(-1, 1)
    end
    check_gradient(function(x, a, b) return x:diff {n = 2, dim = 1, prepend = a, append = b} end,
      row(1, 5, 2), row(4), row(0, 3))
  end)
end)
