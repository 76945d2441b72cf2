-- tide.data.DataLoader: its options and their conflicts, loops over it, batches, and errors of data
-- sets. Values are those of torch.utils.data, counted from 1.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local data = tide.data

--- A data set without a class: sample i is get(i).
local function plain(count, get)
  return {get = function(_, i) return get(i) end, len = function() return count end}
end

--- An iterable data set: step(i) returns sample i.
local function stream(count, step, length)
  local made = {
    iter = function()
      local i = 0
      return function()
        i = i + 1
        if i <= count then return step(i) end
      end
    end,
  }
  if length then made.len = function() return length end end
  return made
end

local function identity(i) return i end

--- The first values of all batches of a pass, as Lua values.
local function batches(loader)
  local list = {}
  for x in loader:iter() do list[#list + 1] = tide.is_tensor(x) and x:tolist() or x end
  return list
end

describe("a loader", function()
  it("accepts data sets of every kind: classes, plain tables, lists, tensors", function()
    local Squares = tide.class("Squares", data.Dataset)
    function Squares:__len() return 3 end
    function Squares:get(i) return i * i end
    local Named = tide.class("Named", data.Dataset)
    function Named:len() return 3 end
    function Named:get(i) return i * i end
    for _, dataset in ipairs {Squares(), Named(), plain(3, function(i) return i * i end), {1, 4, 9},
      tide.tensor{1, 4, 9}} do
      local loader = data.DataLoader(dataset, {batch_size = 2})
      equal(batches(loader), {{1, 4}, {9}})
      equal(#loader, 2)
    end
    equal(batches(data.DataLoader{dataset = {1, 2}, batch_size = 2}), {{1, 2}})
  end)
  it("uses the methods that derived classes define", function()
    local Negative = tide.class("Negative", data.TensorDataset)
    function Negative:get(i) return -data.TensorDataset.get(self, i) end
    local negative = Negative(tide.tensor{1, 2, 3})
    equal(batches(data.DataLoader(negative, {batch_size = 3})), {{-1, -2, -3}})
    for _, dataset in ipairs {data.Subset(negative, {3, 1}), data.StackDataset(data.Subset(negative, {3, 1}))} do
      equal(batches(data.DataLoader(dataset, {batch_size = 2})), {{-3, -1}})
    end
    function Negative.get_batch() return "batch" end
    equal(batches(data.DataLoader(Negative(tide.tensor{1}))), {"batch"})
    local Backwards = tide.class("Backwards", data.SequentialSampler)
    function Backwards:iter()
      local i = #self + 1
      return function()
        i = i - 1
        return i > 0 and i or nil
      end
    end
    equal(batches(data.DataLoader({1, 2, 3}, {sampler = Backwards {1, 2, 3}, batch_size = 2})), {{3, 2}, {1}})
    local Twice = tide.class("Twice", data.BatchSampler)
    function Twice.iter() return ipairs {{2, 2}} end
    local lists = Twice({1, 2}, 1)
    raises("batch_sampler returned a number", function()
      return batches(data.DataLoader({1, 2}, {batch_sampler = lists}))
    end)
  end)
  it("makes a short last batch of 123 samples, or drops it", function()
    local dataset = data.TensorDataset(tide.range(1, 123))
    local sizes = {}
    for x in data.DataLoader(dataset, {batch_size = 50}):iter() do sizes[#sizes + 1] = #x end
    equal(sizes, {50, 50, 23})
    equal(#data.DataLoader(dataset, {batch_size = 50, drop_last = true}), 2)
    equal(#data.DataLoader(dataset, {batch_size = 41, drop_last = true}), 3)
    equal(#data.DataLoader(dataset, {batch_size = 41}), 3)
    equal(#batches(data.DataLoader(plain(123, identity), {batch_size = 50, drop_last = true})), 2)
  end)
  it("returns single samples if batches are disabled", function()
    local loader = data.DataLoader(plain(2, function(i) return i, "s" .. i end), {batch_size = false})
    local seen = {}
    for x, y in loader:iter() do seen[#seen + 1] = {x, y} end
    equal(seen, {{1, "s1"}, {2, "s2"}})
    equal(#loader, 2)
    local converted = data.DataLoader({5, 6}, {batch_size = false, collate_fn = function(x) return {x} end})
    equal(batches(converted), {{5}, {6}})
    local lists = data.BatchSampler({1, 2, 3}, 2)
    local whole = data.DataLoader(plain(3, table.concat), {sampler = lists, batch_size = false})
    equal(batches(whole), {"12", "3"})
  end)
  it("uses the positions of a sampler, a list or a tensor", function()
    for _, sampler in ipairs {{3, 1}, tide.tensor{3, 1}, {iter = function() return pairs {[3] = 1} end}} do
      local loader = data.DataLoader({10, 20, 30}, {sampler = sampler})
      equal(batches(loader)[1], {30})
    end
    equal(batches(data.DataLoader({10, 20, 30}, {sampler = {3, 1}, batch_size = 2})), {{30, 10}})
    equal(batches(data.DataLoader(tide.tensor{10, 20, 30}, {sampler = {3, 1}, batch_size = 2})), {{30, 10}})
    local named = {get = function(_, key) return key .. "!" end, len = function() return 2 end}
    equal(batches(data.DataLoader(named, {sampler = {"b", "a"}, batch_size = 2})), {{"b!", "a!"}})
  end)
  it("uses the batches of a batch sampler", function()
    local lists = {{1, 3}, {2}}
    for _, dataset in ipairs {{10, 20, 30}, tide.tensor{10, 20, 30}} do
      local loader = data.DataLoader(dataset, {batch_sampler = lists})
      equal(batches(loader), {{10, 30}, {20}})
      equal(#loader, 2)
    end
    local sampler = data.BatchSampler(data.SequentialSampler {10, 20, 30}, 2, true)
    equal(batches(data.DataLoader({10, 20, 30}, {batch_sampler = sampler, batch_size = 1})), {{10, 20}})
    raises("batch_sampler returned a number, expected a list", function()
      return batches(data.DataLoader({1, 2}, {batch_sampler = {1, 2}}))
    end)
  end)
  it("passes samples to collate_fn: one value unchanged, several as a list", function()
    local seen = {}
    local function keep(samples)
      seen[#seen + 1] = samples
      return #samples, "batch"
    end
    for count, word in data.DataLoader({"a", "b", "c"}, {batch_size = 2, collate_fn = keep}):iter() do
      equal(word, "batch")
      test.is_true(count <= 2)
    end
    equal(seen, {{"a", "b"}, {"c"}})
    seen = {}
    local pairs_of = plain(2, function(i) return i, -i end)
    equal(batches(data.DataLoader(pairs_of, {batch_size = 2, collate_fn = keep})), {2})
    equal(seen, {{{1, -1}, {2, -2}}})
    for _, dataset in ipairs {{1}, stream(1, identity)} do
      for _, batch_size in ipairs {1, false} do
        raises("collate_fn returned nil, which would end the loop", function()
          return batches(data.DataLoader(dataset, {batch_size = batch_size, collate_fn = function() end}))
        end)
      end
    end
    raises("get_batch returned nil", function()
      return batches(data.DataLoader {get = identity, len = function() return 1 end, get_batch = function() end})
    end)
  end)
  it("shuffles with the generator only, if there is one", function()
    local function order(seed)
      local generator = tide.Generator()
      generator:manual_seed(seed)
      return batches(data.DataLoader(tide.range(1, 20), {batch_size = 20, shuffle = true, generator = generator}))
    end
    equal(order(1), order(1))
    test.is_false(table.concat(order(1)[1], " ") == table.concat(order(2)[1], " "))
  end)
  it("pins tensors, also inside tables", function()
    local named = plain(2, function(i) return {x = tide.ones(2) * i, name = "s" .. i} end)
    for batch in data.DataLoader(named, {batch_size = 2, pin_memory = true}):iter() do
      test.equal(batch.x:is_pinned(), tide.ones(2):pin_memory():is_pinned())
      equal(batch.x:tolist(), {{1.0, 1.0}, {2.0, 2.0}})
      equal(batch.name, {"s1", "s2"})
    end
    equal(batches(data.DataLoader(stream(3, identity), {batch_size = 2, pin_memory = true})), {{1, 2}, {3}})
  end)
  it("iterates over iterable data sets", function()
    equal(batches(data.DataLoader(stream(5, identity), {batch_size = 2})), {{1, 2}, {3, 4}, {5}})
    equal(batches(data.DataLoader(stream(5, identity), {batch_size = 2, drop_last = true})), {{1, 2}, {3, 4}})
    equal(batches(data.DataLoader(stream(3, identity), {batch_size = false})), {1, 2, 3})
    equal(#data.DataLoader(stream(5, identity, 5), {batch_size = 2}), 3)
    equal(#data.DataLoader(stream(5, identity, 5), {batch_size = 2, drop_last = true}), 2)
    equal(batches(data.DataLoader(stream(0, identity))), {})
    local three = {iter = function() return ipairs {7, 8, 9} end}
    equal(batches(data.DataLoader(three, {batch_size = 2})), {{1, 2}, {3}})
    equal(batches(data.DataLoader(three, {batch_size = 2, drop_last = true})), {{1, 2}})
    raises("table: iter() must return a function, got nil", function()
      return batches(data.DataLoader {iter = function() end})
    end)
    raises("dataset has no length", function() return #data.DataLoader(stream(5, identity)) end)
    local Lines = tide.class("Lines", data.IterableDataset)
    function Lines:iter() return ipairs {"a", "b"} end
    local seen = {}
    for numbers, words in data.DataLoader(Lines(), {batch_size = 2}) do seen = {numbers:tolist(), words} end
    equal(seen, {{1, 2}, {"a", "b"}})
  end)
  it("stays finished after the end", function()
    local triple = {iter = function() return ipairs {1, 2} end}
    for _, dataset in ipairs {{1, 2}, stream(2, identity), triple} do
      local step = data.DataLoader(dataset, {batch_size = 2}):iter()
      equal(step():tolist(), {1, 2})
      equal({step(), step()}, {})
    end
    local step = data.DataLoader({5, 6}, {sampler = triple, batch_size = false}):iter()
    equal({step(), step()}, {5, 6})
    equal({step(), step()}, {})
  end)
end)

describe("a loop over the loader itself", function()
  local loader
  test.before_each(function() loader = data.DataLoader(tide.range(1, 4), {batch_size = 2}) end)

  it("is one pass; the next loop is another", function()
    for _ = 1, 2 do
      local seen = {}
      for x in loader do seen[#seen + 1] = x:tolist() end
      equal(seen, {{1, 2}, {3, 4}})
    end
    equal(loader.epoch, 2)
  end)
  it("starts over after a break", function()
    for _ = 1, 3 do
      local first
      for x in loader do
        first = x:tolist()
        break
      end
      equal(first, {1, 2})
    end
  end)
  it("can be nested, and left early", function()
    local seen = {}
    for x in loader do
      for y in loader do
        seen[#seen + 1] = {x[1]:item(), y[1]:item()}
        if x[1]:item() == y[1]:item() then break end
      end
    end
    equal(seen, {{1, 1}, {3, 1}, {3, 3}})
  end)
  it("distinguishes loops whose batches are the same objects", function()
    local a, b = tide.tensor{1}, tide.tensor{2}
    for _, samples in ipairs {{a, b}, {{a}, {b}}} do
      local same, count = data.DataLoader(samples, {batch_size = false}), 0
      for x in same do
        for y in same do
          count = count + 1
          local inner, outer = tide.is_tensor(y) and y or y[1], tide.is_tensor(x) and x or x[1]
          if inner:item() == outer:item() then break end
        end
      end
      equal(count, 3)
    end
  end)
  it("runs concurrently in coroutines", function()
    local function walk()
      for x in loader do coroutine.yield(x[1]:item()) end
    end
    local one, other = coroutine.wrap(walk), coroutine.wrap(walk)
    equal({one(), other(), one(), other()}, {1, 1, 3, 3})
  end)
  it("keeps no references to loops that were left", function()
    for _ = 1, 5 do
      for _ in loader do break end
    end
    collectgarbage()
    collectgarbage()
    local kept = 0
    for _ in pairs(loader.passes) do kept = kept + 1 end
    equal(kept, 0)
  end)
  it("requires batches that begin with an object", function()
    raises("write `in loader:iter()`", function()
      for _ in data.DataLoader({1, 2}, {batch_size = false}) do break end
    end)
    raises("called by hand", function() return loader(nil, tide.ones(1)) end)
  end)
end)

describe("the options of a loader", function()
  local function refused(message, options, dataset)
    raises(message, function() return data.DataLoader(dataset or {1, 2, 3}, options) end)
  end

  it("exclude each other as in PyTorch", function()
    local one = {{1}}
    refused("sampler and shuffle exclude each other", {sampler = {1}, shuffle = true})
    refused("batch_sampler and batch_size exclude each other", {batch_sampler = one, batch_size = 2})
    refused("batch_sampler and shuffle exclude each other", {batch_sampler = one, shuffle = true})
    refused("batch_sampler and sampler exclude each other", {batch_sampler = one, sampler = {1}})
    refused("batch_sampler and drop_last exclude each other", {batch_sampler = one, drop_last = true})
    refused("batch_size = false and drop_last exclude each other", {batch_size = false, drop_last = true})
    test.is_true(data.DataLoader({1}, {sampler = {1}, shuffle = false}))
  end)
  it("of order are not allowed for an iterable data set", function()
    local dataset = stream(2, identity)
    refused("shuffle cannot go with an IterableDataset", {shuffle = true}, dataset)
    refused("sampler cannot go with an IterableDataset", {sampler = {1}}, dataset)
    refused("batch_sampler cannot go with an IterableDataset", {batch_sampler = {{1}}}, dataset)
    test.is_true(data.DataLoader(dataset, {shuffle = false}))
  end)
  it("of workers require workers", function()
    refused("prefetch_factor is for workers: it needs num_workers > 0", {prefetch_factor = 2})
    refused("persistent_workers is for workers: it needs num_workers > 0", {persistent_workers = true})
    refused("timeout is for workers: it needs num_workers > 0", {timeout = 1})
    refused("timeout must be non-negative, got -1", {timeout = -1})
    refused("timeout must be non-negative, got", {timeout = 0 / 0})
    refused("num_workers must be non-negative, got -1", {num_workers = -1})
    test.is_true(data.DataLoader({1}, {timeout = 0, num_workers = 0, worker_init_fn = print}))
  end)
  it("are checked", function()
    refused("batch_size must be positive, got 0", {batch_size = 0})
    refused("batch_size: expected an integer, got 1.5", {batch_size = 1.5})
    refused("DataLoader: option 'drop_last': expected boolean, got number", {drop_last = 1})
    refused("DataLoader: option 'shuffle': expected boolean, got string", {shuffle = "yes"})
    refused("DataLoader: option 'generator': expected generator, got number", {generator = 3})
    refused("DataLoader: option 'collate_fn': expected function, got table", {collate_fn = {}})
    refused("DataLoader: option 'sampler': expected sampler, got number", {sampler = 3})
    refused("unknown option 'batchsize'", {batchsize = 3})
    raises("argument 1 (dataset): expected dataset, got nothing", function() return data.DataLoader() end)
    raises("DataLoader: argument 1 (dataset): expected dataset, got number", function() return data.DataLoader(5) end)
    raises("dataset: expected a dataset", function() return data.DataLoader(tide.nn.Linear(1, 1)) end)
  end)
  it("allow an empty data set, but not shuffling it", function()
    equal(#data.DataLoader({}), 0)
    equal(batches(data.DataLoader({})), {})
    refused("no samples to draw from", {shuffle = true}, data.ListDataset {})
  end)
end)

describe("errors of a data set", function()
  it("name the sample and both lines", function()
    local broken = plain(4, function(i)
      if i == 3 then error "torn" end
      return i
    end)
    local text = raises("DataLoader: sample 3: ", function()
      return batches(data.DataLoader(broken, {batch_size = 2}))
    end)
    test.is_true(text:find "data_loader_test.lua:%d+: DataLoader: sample 3: .*data_loader_test.lua:%d+: torn")
    raises("sample 3: ", function() return batches(data.DataLoader(broken, {batch_size = false})) end)
    local running_dry = stream(3, function(i)
      if i == 2 then error "cut" end
      return i
    end)
    raises("DataLoader: sample 2: ", function() return batches(data.DataLoader(running_dry)) end)
  end)
  it("are passed on unchanged if they are not text", function()
    local mark = {}
    local broken = plain(1, function() error(mark) end)
    local _, caught = pcall(batches, data.DataLoader(broken))
    test.is_true(rawequal(caught, mark))
  end)
  it("name a sample that is nil", function()
    raises("sample 2: get(2) returned nil", function()
      return batches(data.DataLoader(plain(2, function(i) return i == 1 and 1 or nil end)))
    end)
    raises("expected a position from 1 to 3", function() return batches(data.DataLoader({1, 2, 3}, {sampler = {4}})) end)
  end)
  it("name ragged samples by their positions", function()
    local ragged = plain(9, function(i) return {x = tide.ones(2, i % 5 + 1)} end)
    raises("sample 7, x is a tensor of shape (2, 3), sample 8, x is a tensor of shape (2, 4)", function()
      return batches(data.DataLoader(ragged, {sampler = {7, 2, 8}, batch_size = 3}))
    end)
  end)
  it("name the class if it does not define a method", function()
    local Empty = tide.class("Empty", data.Dataset)
    raises("Empty: the class defines neither __len nor len", function() return #Empty() end)
    raises("Empty: the class does not define get(i)", function() return Empty():get(1) end)
    local Dry = tide.class("Dry", data.IterableDataset)
    raises("Dry: the class does not define iter()", function() return Dry():iter() end)
  end)
end)

describe("default_collate", function()
  local collate = data.default_collate

  it("agrees with PyTorch's", function()
    equal(collate({tide.tensor{1, 2}, tide.tensor{3, 4}}):tolist(), {{1, 2}, {3, 4}})
    equal(collate({0, 1, 2, 3}):tolist(), {0, 1, 2, 3})
    equal(collate({0, 1}).dtype, "int64")
    equal(collate({true, false}):tolist(), {true, false})
    equal(collate({"a", "b"}), {"a", "b"})
    local by_key = collate {{A = 0, B = 1}, {A = 100, B = 100}}
    equal({by_key.A:tolist(), by_key.B:tolist()}, {{0, 100}, {1, 100}})
    local lists = collate {{0, 1}, {2, 3}}
    equal({lists[1]:tolist(), lists[2]:tolist()}, {{0, 2}, {1, 3}})
    local nested = collate {{x = {1, {y = "a"}}}, {x = {2, {y = "b"}}}}
    equal(nested.x[1]:tolist(), {1, 2})
    equal(nested.x[2].y, {"a", "b"})
    equal(collate {{}, {}}, {})
  end)
  it("converts floats as tide.tensor does", function()
    equal(collate({0.5, 1}).dtype, "float32")
    equal(collate({0.5, 1}):tolist(), {0.5, 1.0})
  end)
  it("reports which samples do not fit, and where", function()
    raises("sample 1 is a tensor of shape (2), sample 2 is a tensor of shape (3)", collate,
      {tide.ones(2), tide.ones(3)})
    raises("sample 1 is a tensor of shape (), sample 3 is a tensor of shape (1)", collate,
      {tide.tensor(1), tide.tensor(2), tide.ones(1)})
    raises("sample 1 is a number, sample 2 is a string", collate, {1, "1"})
    raises("sample 1, [2] is a list of 1, sample 2, [2] is a list of 2", collate, {{1, {1}}, {1, {1, 2}}})
    raises("sample 1, a.b is a number, sample 2, a.b is a boolean", collate, {{a = {b = 1}}, {a = {b = true}}})
    raises("sample 1 is a table with 'b', sample 2 is one without 'b'", collate, {{a = 1, b = 2}, {a = 1}})
    raises("sample 2 is a table with 'b', sample 1 is one without 'b'", collate, {{a = 1}, {a = 1, b = 2}})
    raises("sample 1 is a function", collate, {print})
    raises("sample 2 is a list with other keys besides", collate, {{1}, {1, name = "a"}})
    raises("sample 1, m is a Linear", collate, {{m = tide.nn.Linear(1, 1)}})
    raises("the list of samples is empty", collate, {})
    raises("default_collate: argument 1 (samples): expected table, got number", collate, 3)
  end)
end)

describe("get_worker_info", function()
  it("is nil outside of workers", function() test.is_nil(data.get_worker_info()) end)
end)
