-- data.DataLoader: walks a data set in batches, in order or shuffled anew in every pass.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local raise = require "tide.internal.raise"
local tide = require "tide"

local DataLoader = class("DataLoader")

local read = arguments("DataLoader", {
  "dataset", {"batch_size", 1}, {"shuffle", false}, {"drop_last", false}, {"pin_memory", false},
})

--- data.DataLoader(dataset, {batch_size = 32, shuffle = true}); `dataset` has `#dataset` samples,
--- which `dataset:get(i)` gives one at a time or `dataset:get_batch(positions)` many at once. With
--- pin_memory = true the batches come in pinned memory, from where a device copies them faster.
function DataLoader:init(...)
  local given = read(...)
  if math.type(given.batch_size) ~= "integer" or given.batch_size < 1 then
    raise("DataLoader: batch_size must be a number of samples, got %s", tostring(given.batch_size))
  end
  self.dataset, self.batch_size = given.dataset, given.batch_size
  self.shuffle, self.drop_last = given.shuffle, given.drop_last
  self.pin_memory = given.pin_memory
end

--- The number of batches of a pass.
function DataLoader:__len()
  local count, size = #self.dataset, self.batch_size
  return self.drop_last and count // size or (count + size - 1) // size
end

--- Stacks samples that were taken one by one.
local function stack_samples(dataset, positions)
  local columns = {}
  for row, i in ipairs(positions:tolist()) do
    for k, value in ipairs({dataset:get(i)}) do
      columns[k] = columns[k] or {}
      columns[k][row] = tide.is_tensor(value) and value or tide.tensor(value)
    end
  end
  for k, column in ipairs(columns) do columns[k] = tide.stack(column) end
  return table.unpack(columns)
end

--- The tensors in pinned memory; other values as they are.
local function pinned(...)
  local values = table.pack(...)
  for k = 1, values.n do
    if tide.is_tensor(values[k]) then values[k] = values[k]:pin_memory() end
  end
  return table.unpack(values, 1, values.n)
end

--- `for x, y in loader:iter() do`: one pass.
function DataLoader:iter()
  local dataset, size, count = self.dataset, self.batch_size, #self.dataset
  local order = self.shuffle and tide.randperm(count) or tide.range(1, count)
  local next_batch = dataset.get_batch or stack_samples
  local batch, batches = 0, #self
  return function()
    if batch == batches then return nil end
    local first = batch * size + 1
    batch = batch + 1
    local positions = order:narrow(1, first, math.min(size, count - first + 1))
    if self.pin_memory then return pinned(next_batch(dataset, positions)) end
    return next_batch(dataset, positions)
  end
end

--- `for i, x, y in loader:enumerate() do`: one pass, with the batches numbered from 1.
function DataLoader:enumerate()
  local step, i = self:iter(), 0
  local function number(first, ...)
    if first == nil then return nil end
    i = i + 1
    return i, first, ...
  end
  return function() return number(step()) end
end

return DataLoader
