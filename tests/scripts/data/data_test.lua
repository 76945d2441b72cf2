-- Data sets and loaders: batches, order, shuffling, numbers of batches.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local data = tide.data

describe("a loader", function(device)
  local dataset
  test.before_each(function()
    dataset = data.TensorDataset(tide.range(1, 10):to(device), tide.range(11, 20):to(device))
  end)

  it("iterates in order; the last batch is smaller", function()
    local sizes, seen = {}, {}
    for x, y in data.DataLoader(dataset, {batch_size = 4}):iter() do
      sizes[#sizes + 1] = #x
      equal((y - x):tolist(), (tide.ones_like(x) * 10):tolist())
      table.move(x:tolist(), 1, #x, #seen + 1, seen)
    end
    equal(sizes, {4, 4, 2})
    equal(seen, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  end)
  it("drops the last batch with drop_last", function()
    local loader = data.DataLoader(dataset, {batch_size = 4, drop_last = true})
    equal(#loader, 2)
    local count = 0
    for i, x in loader:enumerate() do
      count = i
      equal(#x, 4)
    end
    equal(count, 2)
  end)
  it("shuffles again in every pass, with each sample once", function()
    local loader = data.DataLoader(dataset, {batch_size = 10, shuffle = true})
    local first, second = loader:iter()(), loader:iter()()
    equal((first:sort()):tolist(), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    test.is_false(first:equal(second))
  end)
  it("stays on the device of its data", function()
    test.equal(data.DataLoader(dataset, {batch_size = 3}):iter()().device, tide.device(device))
  end)

  it("moves the positions of a batch to the device once for all its tensors", function()
    if tide.device(device).type == "cpu" then return end
    local moved = 0
    local p = tide.profile(function() dataset:get_batch(tide.tensor {3, 1}) end)
    for _, row in ipairs(p:table {by = "kernel"}) do
      if row.name == "to" then moved = moved + row.calls end
    end
    equal(moved, 1)
  end)
end)

describe("a loader", function()
  it("stacks samples of data sets that return one at a time", function()
    local squares = setmetatable({get = function(_, i) return tide.tensor({i, i * i}), i end}, {
      __len = function() return 3 end,
    })
    local x, y = data.DataLoader(squares, {batch_size = 3}):iter()()
    equal(x:tolist(), {{1, 1}, {2, 4}, {3, 9}})
    equal(y:tolist(), {1, 2, 3})
  end)
  it("rejects tensors of different lengths, and invalid sizes", function()
    raises("TensorDataset", function() return data.TensorDataset(tide.ones(3), tide.ones(4)) end)
    raises("batch_size", function() return data.DataLoader(data.TensorDataset(tide.ones(3)),
      {batch_size = 0}) end)
  end)
end)
