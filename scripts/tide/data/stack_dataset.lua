-- data.StackDataset: combines the samples of data sets of equal length.
local define = require "tide.internal.declare.define"
local Dataset = require "tide.data.dataset".Dataset
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"

--- Combines the samples of several data sets into lists, or for a table of data sets into tables with its keys.
---@param dataset... dataset  data sets of equal length
---@counts positions of samples
---@see data.DataLoader data.TensorDataset data.ListDataset data.Subset data.random_split
---@example
--- tide.data.StackDataset({image = {1, 2}, text = {"a", "b"}}):get(2) --> {image = 2, text = "b"}
local StackDataset = define("data.StackDataset", Dataset)

--- Several values as a list, a single one unchanged.
local function one(...)
  if select("#", ...) == 1 then return (...) end
  return {...}
end

--- The results of `read(dataset)` for each data set: as values in order, or in a table by name.
local function each(self, read)
  local values = {}
  for key, dataset in pairs(self.datasets) do values[key] = one(read(dataset)) end
  if self.named then return values end
  return table.unpack(values, 1, #self.datasets)
end

--- The data sets by position or by name, their keys in order, and whether they have names.
local function read_datasets(first, ...)
  local count = select("#", ...)
  local named = count == 0 and type(first) == "table" and not getmetatable(first)
    and type(next(first)) == "string" and not protocol.method(first, "get")
  local keys = {}
  if named then
    for key in pairs(first) do keys[#keys + 1] = tostring(key) end
    table.sort(keys)
    return first, keys, true
  end
  for k = 1, first ~= nil and count + 1 or 0 do keys[k] = k end
  return {first, ...}, keys, false
end

function StackDataset:init(...)
  local datasets, keys, named = read_datasets(...)
  if #keys == 0 then raise("StackDataset: expected one dataset or more, got none") end
  self.datasets, self.named, self.can_batch = {}, named, true
  for _, key in ipairs(keys) do
    local dataset = protocol.as_map("StackDataset", datasets[key], "dataset " .. key)
    local count = protocol.need_length("StackDataset", "dataset " .. key, dataset)
    self.count = self.count or count
    if count ~= self.count then
      raise("StackDataset: dataset %s has %d samples, dataset %s has %d", key, count, keys[1], self.count)
    end
    self.datasets[key] = dataset
    self.can_batch = self.can_batch and protocol.can_batch(dataset)
  end
end

function StackDataset:__len() return self.count end

function StackDataset:get(i)
  local position = protocol.check_position("StackDataset", i, self.count)
  return each(self, function(dataset) return dataset:get(position) end)
end

--- The batches of all data sets combined, if all of them have get_batch.
function StackDataset:get_batch(positions)
  if not self.can_batch then raise "StackDataset: get_batch: one of the datasets has no get_batch" end
  return each(self, function(dataset) return dataset:get_batch(positions) end)
end

return StackDataset
