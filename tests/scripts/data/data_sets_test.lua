-- The data sets of tide.data, alone, combined, and in a loader. Values are those of
-- torch.utils.data, counted from 1.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local data = tide.data

--- All samples by position, those of several values as lists.
local function samples(dataset)
  local list = {}
  for i = 1, #dataset do
    local values = {dataset:get(i)}
    for k, value in ipairs(values) do
      if tide.is_tensor(value) then values[k] = value:tolist() end
    end
    list[i] = #values == 1 and values[1] or values
  end
  return list
end

--- All samples of an iterable data set.
local function walked(dataset)
  local list = {}
  for value in dataset:iter() do list[#list + 1] = value end
  return list
end

--- An iterable data set of the entries of a list.
local function stream(list)
  local Stream = tide.class("Stream", data.IterableDataset)
  function Stream:iter()
    local i = 0
    return function()
      i = i + 1
      return list[i]
    end
  end
  function Stream:__len() return #list end
  return Stream()
end

describe("TensorDataset", function(device)
  it("returns rows, also for a list of positions at once", function()
    local rows = tide.tensor({{1, 2}, {3, 4}, {5, 6}}):to(device)
    local dataset = data.TensorDataset(rows, tide.tensor{7, 8, 9}:to(device))
    equal(samples(dataset), {{{1, 2}, 7}, {{3, 4}, 8}, {{5, 6}, 9}})
    local x, y = dataset:get_batch(tide.tensor{3, 1})
    equal({x:tolist(), y:tolist()}, {{{5, 6}, {1, 2}}, {9, 7}})
    test.equal(x.device, tide.device(device))
    equal(dataset:get(-1):tolist(), {5, 6})
  end)
end)

describe("TensorDataset", function()
  it("rejects tensors without rows, or with different numbers of rows", function()
    raises("tensor 2 has 4 rows, the first has 3", data.TensorDataset, tide.ones(3), tide.ones(4))
    raises("tensor 1 has no dimensions", data.TensorDataset, tide.tensor(1))
    raises("argument 2: expected a tensor, got table", data.TensorDataset, tide.ones(3), {1, 2, 3})
    raises("argument 1: expected a tensor, got nil", data.TensorDataset, nil, tide.ones(3))
    raises("one tensor or more", data.TensorDataset)
    for _, i in ipairs {0, 4, -4, 1.5, "1"} do
      raises("expected a position from 1 to 3", function() return data.TensorDataset(tide.ones(3)):get(i) end)
    end
  end)
end)

describe("ListDataset", function()
  it("returns the entries of a list", function()
    equal(samples(data.ListDataset {"a", 2, {3, 4}}), {"a", 2, {3, 4}})
    raises("get(0): expected a position from 1 to 1", function() return data.ListDataset({5}):get(0) end)
    raises("ListDataset: argument 1 (list): expected table, got number", data.ListDataset, 5)
    raises("expected a list of samples, got table", data.ListDataset, {a = 1})
  end)
  it("makes columns of samples that are lists", function()
    for x, y in data.DataLoader({{1, "a"}, {2, "b"}}, {batch_size = 2}) do
      equal(x:tolist(), {1, 2})
      equal(y, {"a", "b"})
    end
  end)
end)

describe("Subset", function()
  it("returns the listed samples in their order", function()
    local whole = tide.tensor{10, 20, 30, 40}
    for _, indices in ipairs {{4, 2, 2}, tide.tensor{4, 2, 2}} do
      local subset = data.Subset(whole, indices)
      equal(#subset, 3)
      equal(samples(subset), {40, 20, 20})
      equal(subset:get_batch(tide.tensor{1, 3}):tolist(), {40, 20})
      equal(subset.indices, {4, 2, 2})
    end
    local plain = {get = function(_, i) return i end, len = function() return 9 end}
    equal(samples(data.Subset(plain, {9, 1})), {9, 1})
    equal(data.DataLoader(data.Subset(plain, {9, 1}), {batch_size = 2}):iter()():tolist(), {9, 1})
    raises("the dataset has no get_batch", function() return data.Subset(plain, {9}):get_batch(tide.tensor{1}) end)
    equal(samples(data.Subset(data.Subset(whole, {4, 3, 2}), {3, 1})), {20, 40})
  end)
  it("rejects invalid positions", function()
    raises("indices[2] is 4: expected a position from 1 to 3", data.Subset, {1, 2, 3}, {1, 4})
    raises("indices[1] is 0", data.Subset, {1, 2, 3}, {0})
    raises("indices: element 1: expected integer, got 1.5", data.Subset, {1, 2, 3}, {1.5})
    raises("Subset: argument 2 (indices): expected table of integers or tensor, got number", data.Subset, {1, 2, 3}, 3)
    raises("argument 2 (indices): expected table of integers or tensor, got nothing", data.Subset, {1, 2, 3})
    raises("an IterableDataset has no get(i)", data.Subset, stream {1}, {1})
    raises("dataset has no length", data.Subset, {get = function() end}, {1})
  end)
end)

describe("random_split", function()
  local function lengths(count, parts)
    local list = {}
    for k, part in ipairs(data.random_split(tide.range(1, count), parts)) do list[k] = #part end
    return list
  end

  it("assigns every sample once", function()
    local parts = data.random_split(tide.range(1, 10), {3, 7})
    local seen = samples(parts[1])
    table.move(samples(parts[2]), 1, 7, 4, seen)
    table.sort(seen)
    equal(seen, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    equal({#parts[1], #parts[2]}, {3, 7})
  end)
  it("rounds fractions down and adds the remaining samples to the first parts", function()
    equal(lengths(10, {0.3, 0.3, 0.4}), {3, 3, 4})
    equal(lengths(11, {0.25, 0.25, 0.5}), {3, 3, 5})
    equal(lengths(7, {1 / 3, 1 / 3, 1 / 3}), {3, 2, 2})
    equal(lengths(100, {0.29, 0.71}), {29, 71})
    equal(lengths(5, {1, 0}), {5, 0})
    equal(lengths(5, {5, 0}), {5, 0})
  end)
  it("depends on the generator only, if there is one", function()
    local function first(seed)
      local generator = tide.Generator()
      generator:manual_seed(seed)
      return data.random_split(tide.range(1, 30), {20, 10}, generator)[1].indices
    end
    equal(first(42), first(42))
    test.is_false(table.concat(first(42), " ") == table.concat(first(43), " "))
  end)
  it("rejects lengths that do not add up", function()
    local function refused(message, parts) raises(message, data.random_split, {1, 2, 3}, parts) end
    refused("the lengths add up to 4, the dataset has 3 samples", {2, 2})
    refused("lengths[1]: expected a number of samples, got 0.5", {0.5, 0.2})
    refused("lengths[1]: a fraction must be in 0..1, got -0.5", {-0.5, 1.5})
    refused("lengths[2]: expected a number of samples, got -1", {4, -1})
    refused("lengths: element 1: expected number, got string", {"3"})
    refused("random_split: lengths: expected a list of numbers, got table", {})
    refused("argument 2 (lengths): expected table of numbers, got number", 3)
    raises("argument 3 (generator): expected generator, got number", data.random_split, {1}, {1}, 7)
  end)
end)

describe("ConcatDataset", function()
  it("returns the samples of one data set after those of the other", function()
    local whole = data.ConcatDataset {{1, 2}, {3}, {}, {4, 5, 6}}
    equal(whole.cumulative_sizes, {2, 3, 3, 6})
    equal(samples(whole), {1, 2, 3, 4, 5, 6})
    equal(whole:get(-1), 6)
    equal(samples(data.ListDataset {1} + data.TensorDataset(tide.tensor{2}) + {3}), {1, 2, 3})
    raises("get(7): expected a position from 1 to 6", function() return whole:get(7) end)
  end)
  it("rejects data sets without positions", function()
    raises("datasets[2]: an IterableDataset has no get(i)", data.ConcatDataset, {{1}, stream {2}})
    raises("one dataset or more, got an empty one", data.ConcatDataset, {})
    raises("expected a list", data.ConcatDataset, data.ListDataset {1})
    raises("datasets[1]: expected a dataset", data.ConcatDataset, {5})
  end)
end)

describe("ChainDataset", function()
  it("iterates over one data set after the other", function()
    local whole = data.ChainDataset {stream {1, 2}, stream {}, stream {3}}
    equal(walked(whole), {1, 2, 3})
    equal(walked(whole), {1, 2, 3})
    equal(#whole, 3)
    equal(walked(stream {1} + stream {2}), {1, 2})
    equal(walked(data.ChainDataset {}), {})
    local step = whole:iter()
    for _ = 1, 3 do step() end
    equal({step(), step()}, {})
  end)
  it("accepts iterators with a state", function()
    local Pairs = tide.class("Pairs", data.IterableDataset)
    function Pairs:iter() return ipairs {"a", "b"} end
    equal(walked(data.ChainDataset {Pairs(), Pairs()}), {1, 2, 1, 2})
    for numbers, words in data.DataLoader(Pairs() + Pairs(), {batch_size = 4}) do
      equal(numbers:tolist(), {1, 2, 1, 2})
      equal(words, {"a", "b", "a", "b"})
    end
  end)
  it("rejects data sets with positions", function()
    raises("datasets[2]: expected an IterableDataset, got ListDataset", data.ChainDataset,
      {stream {1}, data.ListDataset {2}})
  end)
end)

describe("StackDataset", function()
  it("returns samples as lists", function()
    local both = data.StackDataset(tide.tensor{1, 2}, {"a", "b"})
    equal(samples(both), {{1, "a"}, {2, "b"}})
    raises("one of the datasets has no get_batch", function() return both:get_batch(tide.tensor{1}) end)
    local tensors = data.StackDataset(tide.tensor{1, 2}, data.TensorDataset(tide.tensor{3, 4}, tide.tensor{5, 6}))
    local x, y = tensors:get_batch(tide.tensor{2})
    equal({x:tolist(), y[1]:tolist(), y[2]:tolist()}, {{2}, {4}, {6}})
    for a, b in data.DataLoader(tensors, {batch_size = 2, collate_fn = data.default_collate}) do
      equal({a[1]:tolist(), a[2][1]:tolist(), a[2][2]:tolist(), b}, {{1, 2}, {3, 4}, {5, 6}})
    end
  end)
  it("returns samples as tables by name", function()
    local named = data.StackDataset {image = tide.tensor{1, 2}, text = {"a", "b"}}
    equal(#named, 2)
    local sample = named:get(2)
    equal({sample.image:item(), sample.text}, {2, "b"})
    for batch in data.DataLoader(named, {batch_size = 2}) do
      equal(batch.image:tolist(), {1, 2})
      equal(batch.text, {"a", "b"})
    end
    local fast = data.StackDataset {x = tide.tensor{1, 2}}
    equal(fast:get_batch(tide.tensor{2, 1}).x:tolist(), {2, 1})
  end)
  it("rejects different lengths", function()
    raises("dataset 2 has 1 samples, dataset 1 has 2", data.StackDataset, {1, 2}, {1})
    raises("dataset y has 1 samples, dataset x has 2", data.StackDataset, {x = {1, 2}, y = {1}})
    raises("one dataset or more", data.StackDataset)
    raises("dataset 2: expected a dataset", data.StackDataset, {1, 2}, 5)
    raises("get(3): expected a position from 1 to 2", function() return data.StackDataset({1, 2}):get(3) end)
  end)
end)
