-- Functions of tide that are written in Lua: shapes, conversions, slopes.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.equal, test.raises

describe("broadcast_shapes", function()
  it("aligns shapes at their ends", function()
    equal(tide.broadcast_shapes({2, 1}, {3}), {2, 3})
    equal(tide.broadcast_shapes({3, 1}, 4, {5, 1, 1}, {}), {5, 3, 4})
    equal(tide.broadcast_shapes(), {})
    equal(tide.broadcast_shapes({0}, {1}), {0})
  end)
  it("refuses what does not go together", function()
    raises("shapes do not go together: (3) and the (2, 4)", tide.broadcast_shapes, {2, 4}, {3})
    raises("sizes are whole numbers, 0 or more: got -1", tide.broadcast_shapes, {-1})
    raises("expected shapes, got string", tide.broadcast_shapes, "2")
  end)
end)

describe("as_tensor", function(device)
  it("copies only what it must", function()
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
  it("takes slopes between neighbours", function()
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
  it("names what is too short", function()
    raises("3 elements are needed in dimension 1: there are 2", tide.gradient, numbers {1, 2},
      {edge_order = 2})
    raises("dimension 1 needs 2 coordinates", tide.gradient, numbers {1, 2},
      {spacing = {numbers {1, 2, 3}}})
  end)
end)
