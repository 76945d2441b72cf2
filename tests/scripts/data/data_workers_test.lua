-- Loaders whose batches are made by worker threads: the same epochs as without, errors, early exits.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, is_true, raises =
  test.describe, test.it, test.equal, test.is_true, test.raises
local data = tide.data

local Noisy = tide.class("Noisy", data.Dataset)
function Noisy:init(count) self.count = count end
function Noisy:__len() return self.count end
function Noisy:get(i)
  if i == self.bad then error "this sample is bad" end
  return tide.rand(3) + i, i
end

--- The numbers of some passes over a loader.
local function numbers(dataset, options, passes)
  tide.manual_seed(11)
  local loader, list = data.DataLoader(dataset, options), {}
  for _ = 1, passes do
    for x, y in loader do list[#list + 1] = {x:tolist(), y:tolist()} end
  end
  return list
end

describe("workers", function()
  it("return the same epochs as one thread, for any number of workers", function()
    for _, options in ipairs {
      {batch_size = 4, shuffle = true}, {batch_size = 5, drop_last = true}, {batch_size = 64},
      {batch_size = 3, shuffle = true, persistent_workers = true}, {batch_size = 1},
    } do
      local persistent = options.persistent_workers
      options.persistent_workers = nil
      local alone = numbers(Noisy(17), options, 2)
      is_true(#alone > 0)
      options.persistent_workers = persistent
      for _, count in ipairs {1, 2, 4} do
        options.num_workers = count
        test.equal(numbers(Noisy(17), options, 2), alone)
      end
    end
  end)

  it("draw different random numbers for each sample and epoch, none of them the script's", function()
    tide.manual_seed(5)
    local expected = tide.rand(2):tolist()
    tide.manual_seed(5)
    local loader = data.DataLoader(Noisy(4), {batch_size = 2, num_workers = 2})
    local seen = {}
    for _ = 1, 2 do
      for x, y in loader do
        for row, number in ipairs(y:tolist()) do
          seen[#seen + 1] = (x[row] - number):tolist()[1]
        end
      end
    end
    table.sort(seen)
    equal(#seen, 8)
    for k = 2, 8 do is_true(seen[k] > seen[k - 1]) end
    equal(tide.rand(2):tolist(), expected)
  end)

  it("do so for math.random, for any number of workers", function()
    local Dice = tide.class("Dice", data.Dataset)
    function Dice:__len() return 9 end
    function Dice:get(i) return i * 1000000 + math.random(999999) end
    local function rolled(count, passes)
      tide.manual_seed(5)
      local loader, list = data.DataLoader(Dice(), {batch_size = 2, shuffle = true, num_workers = count}), {}
      for _ = 1, passes do
        for batch in loader do list[#list + 1] = batch:tolist() end
      end
      return list
    end
    math.randomseed(7)
    local expected = {math.random(1000), math.random(1000)}
    math.randomseed(7)
    local alone = rolled(0, 2)
    equal({math.random(1000), math.random(1000)}, expected)
    local seen = {}
    for _, batch in ipairs(alone) do
      for _, value in ipairs(batch) do seen[value % 1000000] = true end
    end
    local different = 0
    for _ in pairs(seen) do different = different + 1 end
    equal(different, 18)
    for _, count in ipairs {1, 4} do equal(rolled(count, 2), alone) end
  end)

  it("draw random numbers for a stream that depend only on the seed", function()
    local Stream = tide.class("DiceStream", data.IterableDataset)
    function Stream:iter()
      local count = 0
      return function()
        count = count + 1
        if count <= 5 then return math.random(1000000) end
      end
    end
    local function rolled(count)
      tide.manual_seed(5)
      local list = {}
      for value in data.DataLoader(Stream(), {batch_size = false, num_workers = count}):iter() do
        list[#list + 1] = value
        math.random()
      end
      return list
    end
    equal(rolled(1), rolled(1))
    equal(rolled(0), rolled(0))
  end)

  it("share a data set's tensors, also on other devices", function()
    for _, device in ipairs {"cpu", "sim"} do
      local x = tide.arange(20, {dtype = "float32", device = device}):reshape(10, 2)
      local loader = data.DataLoader(data.TensorDataset(x), {batch_size = 3, num_workers = 2})
      local rows = {}
      for batch in loader do rows[#rows + 1] = batch end
      equal(#rows, 4)
      is_true(tide.cat(rows, 1):equal(x))
      equal(rows[1].device, x.device)
    end
  end)

  it("a worker knows its number", function()
    local Ids = tide.class("Ids", data.Dataset)
    function Ids:__len() return 8 end
    function Ids:get(i)
      local info = tide.data.get_worker_info()
      return {id = info.id, workers = info.num_workers, started = started_as, position = i}
    end
    local loader = data.DataLoader(Ids(), {
      batch_size = false, num_workers = 2, worker_init_fn = function(id) started_as = id end,
    })
    local position = 0
    for sample in loader:iter() do
      position = position + 1
      equal(sample.position, position)
      equal(sample.workers, 2)
      equal(sample.started, sample.id)
      is_true(sample.id == 1 or sample.id == 2)
    end
    equal(position, 8)
    equal(started_as, nil)
    equal(data.get_worker_info(), nil)
  end)

  it("iterate over copies of an iterable data set in turn", function()
    local Stream = tide.class("Stream", data.IterableDataset)
    function Stream:iter()
      local info = tide.data.get_worker_info()
      local first, step, i = info and info.id or 1, info and info.num_workers or 1, 0
      return function()
        local value = first + step * i
        i = i + 1
        if value <= 10 then return tide.tensor(value) end
      end
    end
    local function batches(count)
      local list = {}
      for x in data.DataLoader(Stream(), {batch_size = 2, num_workers = count}) do
        list[#list + 1] = x:tolist()
      end
      return list
    end
    equal(batches(0), {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}})
    equal(batches(1), batches(0))
    equal(batches(2), {{1, 3}, {2, 4}, {5, 7}, {6, 8}, {9}, {10}})
  end)
end)

describe("errors of workers", function()
  it("an error names the sample, its line, and the script's line", function()
    for _, count in ipairs {0, 2} do
      local dataset = Noisy(12)
      dataset.bad = 7
      local loader = data.DataLoader(dataset, {batch_size = 2, num_workers = count})
      local seen = 0
      local text = raises("DataLoader: sample 7:", function()
        for _ in loader do seen = seen + 1 end
      end)
      equal(seen, 3)
      is_true(text:find "data_workers_test.lua:%d+: DataLoader: sample 7: .*_test.lua:12: this sample is bad")
    end
  end)

  it("a value that cannot be sent to a worker is named when the loader is created", function()
    local dataset = Noisy(3)
    dataset.source = {file = io.stdout}
    raises("DataLoader: dataset.source.file: a FILE* cannot go to a worker", function()
      data.DataLoader(dataset, {num_workers = 1})
    end)
    local co = coroutine.create(print)
    raises("DataLoader: collate_fn (its variable 'co'): a thread cannot go to a worker", function()
      data.DataLoader(Noisy(3), {num_workers = 1, collate_fn = function() return co end})
    end)
  end)

  it("a batch that is nil, or cannot be sent back", function()
    raises("DataLoader: collate_fn returned nil", function()
      for _ in data.DataLoader(Noisy(3), {num_workers = 1, collate_fn = function() end}) do end
    end)
    raises("a FILE* cannot go to another thread", function()
      for _ in data.DataLoader(Noisy(3), {num_workers = 1, collate_fn = function() return io.stdout end}) do end
    end)
  end)

  it("worker_init_fn raises", function()
    raises("no place for worker", function()
      local options = {num_workers = 2, worker_init_fn = function(id) error("no place for worker " .. id) end}
      for _ in data.DataLoader(Noisy(3), options) do end
    end)
  end)

  it("a batch takes longer than the timeout", function()
    local slow = Noisy(2)
    function slow:get() while true do end end
    raises("DataLoader: timeout: received no batch from the workers within 0.05 s", function()
      for _ in data.DataLoader(slow, {num_workers = 1, timeout = 0.05}) do end
    end)
  end)

  it("a subset of tensors can be sent to the workers", function()
    local subset = data.Subset(data.TensorDataset(tide.range(1, 10)), {5, 3, 9})
    local seen = {}
    for x in data.DataLoader(subset, {batch_size = 2, num_workers = 2}) do seen[#seen + 1] = x:tolist() end
    equal(seen, {{5, 3}, {9}})
  end)

  it("a loop that is left early ends the workers, or keeps them for the next loop", function()
    for _, persistent in ipairs {false, true} do
      local loader = data.DataLoader(Noisy(50),
        {batch_size = 2, num_workers = 2, persistent_workers = persistent})
      for pass = 1, 3 do
        local count = 0
        for _ in loader:iter() do
          count = count + 1
          if pass == 2 then break end
        end
        equal(count, pass == 2 and 1 or 25)
      end
    end
  end)
end)
