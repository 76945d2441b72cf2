-- The samplers of tide.data. Values are those of torch.utils.data, counted from 1.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local data = tide.data

--- The positions of one pass.
local function pass(sampler)
  local list = {}
  for position in sampler:iter() do list[#list + 1] = position end
  return list
end

local function sorted(list)
  table.sort(list)
  return list
end

local function generator(seed)
  local made = tide.Generator()
  made:manual_seed(seed)
  return made
end

local source = {get = function(_, i) return i end, len = function() return 5 end}

describe("SequentialSampler", function()
  it("returns all positions in order", function()
    local sampler = data.SequentialSampler(source)
    equal(pass(sampler), {1, 2, 3, 4, 5})
    equal(#sampler, 5)
    equal(pass(data.SequentialSampler {}), {})
    raises("has no get(i)", data.SequentialSampler, {iter = function() end})
  end)
end)

describe("RandomSampler", function()
  it("returns each position once in each pass", function()
    local sampler = data.RandomSampler(source)
    equal(#sampler, 5)
    equal(sorted(pass(sampler)), {1, 2, 3, 4, 5})
    local long = data.RandomSampler(tide.range(1, 50))
    test.is_false(table.concat(pass(long), " ") == table.concat(pass(long), " "))
  end)
  it("repeats positions for more samples than there are, and stops early for fewer", function()
    local sampler = data.RandomSampler({7, 8, 9}, {num_samples = 8})
    local positions = pass(sampler)
    equal({#sampler, #positions}, {8, 8})
    equal(sorted(table.move(positions, 1, 3, 1, {})), {1, 2, 3})
    equal(sorted(table.move(positions, 4, 6, 1, {})), {1, 2, 3})
    test.is_false(positions[7] == positions[8])
    equal(#pass(data.RandomSampler(source, false, 2)), 2)
  end)
  it("draws with replacement", function()
    local positions = pass(data.RandomSampler(source, {replacement = true, num_samples = 400}))
    equal(#positions, 400)
    local seen = {}
    for _, position in ipairs(positions) do seen[position] = true end
    equal(seen, {true, true, true, true, true})
  end)
  it("depends on the generator only, if there is one", function()
    for _, replacement in ipairs {true, false} do
      local function order(seed)
        return pass(data.RandomSampler(tide.range(1, 30), {replacement = replacement, generator = generator(seed)}))
      end
      equal(order(3), order(3))
      test.is_false(table.concat(order(3), " ") == table.concat(order(4), " "))
    end
  end)
  it("rejects invalid options", function()
    raises("num_samples must be positive, got 0", data.RandomSampler, source, {num_samples = 0})
    raises("RandomSampler: option 'replacement': expected boolean, got number",
      data.RandomSampler, source, {replacement = 1})
    raises("data_source has no samples", data.RandomSampler, {})
    raises("RandomSampler: option 'generator': expected generator, got string",
      data.RandomSampler, source, {generator = "g"})
  end)
end)

describe("SubsetRandomSampler", function()
  it("returns its positions in random order", function()
    for _, indices in ipairs {{2, 4, 9}, tide.tensor{2, 4, 9}} do
      local sampler = data.SubsetRandomSampler(indices)
      equal(#sampler, 3)
      equal(sorted(pass(sampler)), {2, 4, 9})
      local function seeded() return pass(data.SubsetRandomSampler(indices, generator(5))) end
      equal(seeded(), seeded())
    end
    raises("indices: element 2: expected integer, got string", data.SubsetRandomSampler, {1, "x"})
    raises("indices: expected a list or a tensor of positions", data.SubsetRandomSampler, tide.ones(2))
    raises("SubsetRandomSampler: argument 1 (indices): expected table of integers or tensor, got number",
      data.SubsetRandomSampler, 3)
  end)
end)

describe("WeightedRandomSampler", function()
  it("draws by weight", function()
    equal(pass(data.WeightedRandomSampler({0, 3, 0}, 4)), {2, 2, 2, 2})
    equal(sorted(pass(data.WeightedRandomSampler({0.5, 0, 2, 1}, 3, false))), {1, 3, 4})
    local sampler = data.WeightedRandomSampler(tide.tensor{1.0, 3}, 4000, {generator = generator(1)})
    equal(#sampler, 4000)
    local often = 0
    for _, position in ipairs(pass(sampler)) do often = often + position - 1 end
    test.is_true(often > 2850 and often < 3150) -- 3000 +- 5.5 standard deviations
  end)
  it("rejects invalid options", function()
    local make = data.WeightedRandomSampler
    raises("num_samples must be positive, got 0", make, {1}, 0)
    raises("WeightedRandomSampler: argument 3 (replacement): expected boolean, got string", make, {1}, 1, "no")
    raises("weights: element 1: expected number, got table", make, {{1, 2}}, 1)
    raises("WeightedRandomSampler: argument 1 (weights): expected table of numbers or tensor", make, 3, 1)
    raises("fewer weights above 0", function() return pass(make({1, 0}, 2, false)) end)
  end)
end)

describe("BatchSampler", function()
  it("groups positions into lists", function()
    local positions = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
    for _, sampler in ipairs {positions, data.SequentialSampler(positions), tide.tensor(positions)} do
      local batches = data.BatchSampler(sampler, 3, false)
      equal(pass(batches), {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10}})
      equal(#batches, 4)
      local whole = data.BatchSampler(sampler, 3, {drop_last = true})
      equal(pass(whole), {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}})
      equal(#whole, 3)
    end
    equal(pass(data.BatchSampler({}, 3)), {})
  end)
  it("accepts samplers written by scripts", function()
    local Evens = tide.class("Evens", data.Sampler)
    function Evens:iter()
      local i = 0
      return function()
        i = i + 2
        return i <= 6 and i or nil
      end
    end
    equal(pass(data.BatchSampler(Evens(), 2)), {{2, 4}, {6}})
    equal(pass(data.BatchSampler(Evens(), 2, true)), {{2, 4}})
    raises("Evens: the class defines neither __len nor len", function() return #data.BatchSampler(Evens(), 2) end)
    local Unfinished = tide.class("Unfinished", data.Sampler)
    raises("Unfinished: the class does not define iter()", function() return Unfinished():iter() end)
  end)
  it("rejects invalid options", function()
    raises("batch_size must be positive, got 0", data.BatchSampler, {1}, 0)
    raises("argument 2 (batch_size): expected integer, got nothing", data.BatchSampler, {1})
    raises("BatchSampler: argument 3 (drop_last): expected boolean, got number", data.BatchSampler, {1}, 1, 1)
    raises("BatchSampler: argument 1 (sampler): expected sampler, got number", data.BatchSampler, 5, 1)
  end)
end)

describe("DistributedSampler", function()
  local function shares(count, replicas, options)
    local list = {}
    for rank = 0, replicas - 1 do
      options.num_replicas, options.rank = replicas, rank
      local sampler = data.DistributedSampler(tide.zeros(count), options)
      list[rank + 1] = pass(sampler)
      equal(#sampler, #list[rank + 1])
    end
    return list
  end

  it("assigns positions in turn", function()
    local function in_order() return {shuffle = false} end
    local function dropping() return {shuffle = false, drop_last = true} end
    equal(shares(5, 2, in_order()), {{1, 3, 5}, {2, 4, 1}})
    equal(shares(5, 2, dropping()), {{1, 3}, {2, 4}})
    equal(shares(1, 4, in_order()), {{1}, {1}, {1}, {1}})
    equal(shares(2, 5, in_order()), {{1}, {2}, {1}, {2}, {1}})
    equal(shares(1, 4, dropping()), {{}, {}, {}, {}})
    equal(shares(10, 3, in_order()), {{1, 4, 7, 10}, {2, 5, 8, 1}, {3, 6, 9, 2}})
    equal(shares(9, 3, dropping()), {{1, 4, 7}, {2, 5, 8}, {3, 6, 9}})
    equal(shares(0, 2, in_order()), {{}, {}})
  end)
  it("shuffles by seed and epoch, equally in all processes", function()
    local both = shares(6, 2, {})
    local seen = table.move(both[2], 1, 3, 4, both[1])
    equal(sorted(seen), {1, 2, 3, 4, 5, 6})
    local function order(seed, epoch)
      local sampler = data.DistributedSampler(tide.zeros(40), {num_replicas = 1, rank = 0, seed = seed})
      sampler:set_epoch(epoch)
      return table.concat(pass(sampler), " ")
    end
    equal(order(0, 1), order(0, 1))
    equal(order(0, 1), order(1, 0)) -- as in PyTorch, only their sum matters
    test.is_false(order(0, 0) == order(0, 1))
  end)
  it("has a new order in each pass, also if no epoch is set", function()
    local function make() return data.DistributedSampler(tide.zeros(40), {num_replicas = 2, rank = 1}) end
    local sampler, other = make(), make()
    local first, second = pass(sampler), pass(sampler)
    test.is_false(table.concat(first, " ") == table.concat(second, " "))
    other:set_epoch(1)
    equal(pass(other), second)
    other:set_epoch(0)
    equal(pass(other), first)
    equal(pass(other), second)
  end)
  it("returns each sample once with pad = false, for validation", function()
    equal(shares(5, 2, {shuffle = false, pad = false}), {{1, 3, 5}, {2, 4}})
    equal(shares(2, 5, {shuffle = false, pad = false}), {{1}, {2}, {}, {}, {}})
    equal(shares(6, 3, {shuffle = false, pad = false}), {{1, 4}, {2, 5}, {3, 6}})
    local all = {}
    for _, share in ipairs(shares(11, 3, {pad = false})) do table.move(share, 1, #share, #all + 1, all) end
    equal(sorted(all), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
    raises("pad = false has no effect with drop_last = true", data.DistributedSampler, source,
      {num_replicas = 1, rank = 0, drop_last = true, pad = false})
  end)
  it("continues its passes after a loader was saved and restored", function()
    local function make()
      local set = tide.arange(1, 17)
      return data.DataLoader(set, {batch_size = 2, sampler = data.DistributedSampler(set, {num_replicas = 2, rank = 0})})
    end
    local function batches(loader, count)
      local list = {}
      for batch in loader:iter() do
        list[#list + 1] = batch:tolist()
        if #list == count then break end
      end
      return list
    end
    local loader = make()
    local first = batches(loader)
    for taken = 1, 2 do
      local between, inside = make(), make()
      between:load_state_dict(loader:state_dict())
      local begun = batches(loader, taken)
      inside:load_state_dict(loader:state_dict())
      local whole = batches(between)
      equal({table.unpack(whole, 1, taken)}, begun)
      equal(batches(inside), {table.unpack(whole, taken + 1)})
      test.is_false(tostring(tide.tensor(first)) == tostring(tide.tensor(whole)))
      equal(batches(inside), batches(between))
      loader = make()
      loader:load_state_dict(between:state_dict())
    end
  end)
  it("rejects invalid options", function()
    local make = data.DistributedSampler
    raises("rank must be in 0..1, got 2", make, source, 2, 2)
    raises("rank must be non-negative, got -1", make, source, 2, -1)
    raises("num_replicas and rank are required", make, source)
    raises("num_replicas must be positive, got 0", make, source, 0, 0)
    raises("seed: expected an integer, got 1.5", make, source, {num_replicas = 1, rank = 0, seed = 1.5})
    raises("set_epoch: argument 1 (epoch): expected integer, got string", function() make(source, 1, 0):set_epoch("x") end)
  end)
end)
