-- Indexing and assignment: positions from 1, ranges with both ends, masks, views that write
-- through.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

describe("indexing", function(device)
  local x
  test.before_each(function()
    x = tide.range(1, 12):reshape(3, 4):to(device)
  end)

  it("selects a row by index, also from the end", function()
    equal(x[1]:tolist(), {1, 2, 3, 4})
    equal(x[-1]:tolist(), {9, 10, 11, 12})
  end)
  it("finds nonzero elements as rows, or as a table with the indices of each dimension", function()
    local zeros = tide.tensor({{0, 7}, {8, 0}}, {device = device})
    equal(zeros:nonzero():tolist(), {{1, 2}, {2, 1}})
    equal(zeros:nonzero({as_tuple = false}):tolist(), {{1, 2}, {2, 1}})
    local places = zeros:nonzero({as_tuple = true})
    equal({#places, places[1]:tolist(), places[2]:tolist()}, {2, {1, 2}, {2, 1}})
    equal(zeros[places]:tolist(), {7, 8})
    local one = tide.tensor(5, {device = device}):nonzero({as_tuple = true})
    equal({#one, one[1]:tolist()}, {1, {1}})
  end)
  it("returns a tensor for a single element", function()
    equal(x[2][3]:dim(), 0)
    equal(x[2][3]:item(), 7)
    equal(x[{2, 3}]:item(), 7)
  end)
  it("accepts ranges with both ends and a step", function()
    equal(x[{{2, 3}, {1, 2}}]:tolist(), {{5, 6}, {9, 10}})
    equal(x[{1, {1, 4, 2}}]:tolist(), {1, 3})
    equal(x[{{3, 2}}].shape, {0, 4})
  end)
  it("selects all by an empty table, and remaining dimensions by dots", function()
    equal(x[{{}, 1}]:tolist(), {1, 5, 9})
    equal(x[{"...", -1}]:tolist(), {4, 8, 12})
    equal(x[{"new", 1}].shape, {1, 4})
  end)
  it("accepts bool and integer tensors", function()
    equal(x[x:gt(10)]:tolist(), {11, 12})
    equal(x[tide.tensor({3, 1}):to(device)]:tolist(), {{9, 10, 11, 12}, {1, 2, 3, 4}})
  end)
  it("ends ipairs after the last row", function()
    local rows = 0
    for i, row in ipairs(x) do
      rows = i
      equal(row.shape, {4})
    end
    equal(rows, 3)
    equal(#x, 3)
  end)
  it("reports that indices start at 1", function()
    raises("positions start at 1", function() return x[0] end)
  end)
  it("rejects indices out of range and fractions", function()
    raises("out of range", function() return x[{5, 1}] end)
    for _, position in ipairs {5, 8, 100, -4, -100} do
      raises("out of range", function() return x[position] end)
    end
    equal(x[4], nil) -- one after the last row: ipairs ends there
    raises("out of range", function() x[4] = 0 end)
    raises("expected an integer index, got 1.5", function() return x[1.5] end)
    equal(x[2.0]:tolist(), {5, 6, 7, 8})
  end)
end)

describe("a mask without dimensions", function(device)
  it("adds a new dimension, which it keeps or empties", function()
    local yes, no = tide.tensor(true, {device = device}), tide.tensor(false, {device = device})
    local one, row = tide.tensor(5.0, {device = device}), tide.range(1, 3):to(device)
    equal({one[yes]:tolist(), one[no].shape}, {{5.0}, {0}})
    equal({row[yes]:tolist(), row[no].shape}, {{{1, 2, 3}}, {0, 3}})
    equal({row[{yes, {1, 2}}]:tolist(), row[{ {1, 2}, yes}]:tolist()}, {{{1, 2}}, {{1}, {2}}})
    row[yes] = 7
    row[no] = 8
    equal(row:tolist(), {7, 7, 7})
  end)
end)

describe("a range up to 0", function(device)
  it("is empty, like a loop", function()
    local x = tide.range(1, 3):to(device)
    equal({x[{ {1, 0} }].shape, x[{ {3, 0} }].shape}, {{0}, {0}})
    raises("positions start at 1", function() return x[{ {0, 2} }] end)
  end)
end)

describe("assignment", function(device)
  local x
  test.before_each(function()
    x = tide.range(1, 12):reshape(3, 4):to(device)
  end)

  it("writes numbers, tensors and broadcast rows", function()
    x[1] = 0
    x[{2, {2, 3}}] = tide.tensor({50, 60}):to(device)
    x[{{}, 4}] = -1
    equal(x:tolist(), {{0, 0, 0, -1}, {5, 50, 60, -1}, {9, 10, 11, -1}})
  end)
  it("writes where a mask is true", function()
    x[x:gt(9)] = 9
    equal(x:max():item(), 9)
  end)
  it("gives a gradient of zeros to a source written by a mask without true elements", function()
    local value = tide.tensor({2.0}, {device = device, requires_grad = true})
    local y = tide.zeros({3, 2}, {device = device})
    y[{tide.zeros(3, {device = device, dtype = "bool"}), {}}] = value
    y:sum():backward()
    equal({y:tolist(), value.grad:tolist()}, {{{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}, {0.0}})
  end)
  it("is visible through views, and writes through views by the base", function()
    local row = x[2]
    row:fill_(7)
    equal(x[2]:tolist(), {7, 7, 7, 7})
    x[{2, 1}] = 1
    equal(row:tolist(), {1, 7, 7, 7})
  end)
  it("converts to the tensor's type", function()
    x[1] = 2.75
    equal(x[1]:tolist(), {2, 2, 2, 2})
  end)
  it("reports both shapes if they do not match", function()
    raises("(3)", function() x[1] = tide.tensor({1, 2, 3}):to(device) end)
  end)
  it("does not change tensors computed before", function()
    local before = x + 0
    local doubled = x * 2
    x:fill_(0)
    equal(before[1]:tolist(), {1, 2, 3, 4})
    equal(doubled[1]:tolist(), {2, 4, 6, 8})
  end)
  it("writes parts in place one after the other, in any windows", function()
    local large = tide.zeros({1 << 18}, {device = device})
    tide.synchronize(device)
    tide.reset_peak_memory_stats(device)
    local before = tide.memory_allocated(device)
    for i = 1, 50 do large[i] = i end
    local joined = tide.cat({large, tide.ones({3}, {device = device})})
    for i = 1, 50 do joined[-i] = i end
    tide.synchronize(device)
    -- The joined value, and at most one other value.
    equal(tide.max_memory_allocated(device) - before < 2.5 * large:numel() * 4, true)
    equal({large:sum():item(), joined:sum():item()}, {1275.0, 2 * 1275.0})
  end)
  it("keeps the values between two writes that are still referenced", function()
    local sums, rows = {}, {}
    for i = 1, 3 do
      x[i] = i
      sums[i], rows[i] = x:sum(2), x[i] * x[1]
    end
    equal(sums[1]:tolist(), {4, 26, 42})
    equal(sums[2]:tolist(), {4, 8, 42})
    equal(sums[3]:tolist(), {4, 8, 12})
    equal(rows[3]:tolist(), {3, 3, 3, 3})
  end)
end)

describe("positions from the end", function(device)
  local function vector(values, dtype)
    return tide.tensor(values, {dtype = dtype or "float64", device = device})
  end
  it("work in take, put and index_fill, as in PyTorch", function()
    local x = vector {{1, 2}, {3, 4}}
    equal(x:take(vector({-1, 2, -4}, "int64")):tolist(), {4.0, 2.0, 1.0})
    equal(x:index_fill(2, vector({-1}, "int64"), 7):tolist(), {{1.0, 7.0}, {3.0, 7.0}})
    equal(x:put(vector({-1}, "int64"), vector {9}):tolist(), {{1.0, 2.0}, {3.0, 9.0}})
    for op, call in pairs {
      take = function(at) return x:take(at) end,
      index_fill = function(at) return x:index_fill(1, at, 0) end,
    } do
      for _, wrong in ipairs {0, 5, -5} do
        local text = ("%s: position %d is out of range"):format(op, wrong)
        raises(text, function() return call(vector({wrong}, "int64")):tolist() end)
      end
    end
  end)
  it("have gradients", function()
    local x = vector({1, 2, 3}):requires_grad_()
    x:take(vector({-1, -1, 1}, "int64")):sum():backward()
    equal(x.grad:tolist(), {1.0, 0.0, 2.0})
  end)
end)

describe("index_fill with a value tensor", function(device)
  --- The gradients of x and of the value.
  local function slopes(x, positions)
    local options = {dtype = "float64", device = device}
    local base = tide.tensor(x, options):requires_grad_()
    local value = tide.tensor(2.0, options):requires_grad_()
    local at = tide.tensor(positions, {dtype = "int64", device = device})
    local y = base:index_fill(1, at, value);
    (y * y):sum():backward()
    return {y:tolist(), base.grad:tolist(), value.grad:item()}
  end
  it("counts a repeated index once", function()
    equal(slopes({1, 1, 1}, {2, 2}), {{1.0, 2.0, 1.0}, {2.0, 0.0, 2.0}, 4.0})
    equal(slopes({1, 1, 1}, {-1, 3, 1}), {{2.0, 1.0, 2.0}, {0.0, 2.0, 0.0}, 8.0})
    equal(slopes({{1, 1}, {1, 1}}, {1, 1}),
      {{{2.0, 2.0}, {1.0, 1.0}}, {{0.0, 0.0}, {2.0, 2.0}}, 8.0})
    equal(slopes({1, 1}, {}), {{1.0, 1.0}, {2.0, 2.0}, 0.0})
  end)
  it("works without dimensions", function()
    equal(slopes(5.0, {1}), {2.0, 0.0, 4.0})
    equal(slopes(5.0, {1, 1}), {2.0, 0.0, 4.0})
    local x = tide.tensor(5.0, {device = device})
    equal(x:index_fill(1, tide.tensor({1, 1}, {device = device}), 3):item(), 3.0)
    equal(x:index_copy(1, tide.tensor({1, 1}, {device = device}),
      tide.tensor({3.0, 4}, {device = device})):item(), 4.0)
  end)
  it("does not change without gradients", function()
    local x = tide.zeros({3}, {dtype = "int64", device = device})
    local second, four = tide.tensor({2}, {device = device}), tide.tensor(4, {device = device})
    equal(x:index_fill(1, second, four):tolist(), {0, 4, 0})
    raises("index_fill: expected a value of 0 dimensions, got (1)", x.index_fill, x, 1, second, second)
  end)
end)
