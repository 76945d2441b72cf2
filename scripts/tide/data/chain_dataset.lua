-- data.ChainDataset: the samples of several iterable data sets, one after the other.
local class = require "tide.internal.class"
local IterableDataset = require "tide.data.dataset".IterableDataset
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"

local ChainDataset = class("ChainDataset", IterableDataset)

--- data.ChainDataset({a, b, ...}), or a + b for iterable data sets.
function ChainDataset:init(datasets)
  if not protocol.is_list(datasets) then
    raise("ChainDataset: expected a list of iterable datasets, got %s", protocol.kind_of(datasets))
  end
  for k, dataset in ipairs(datasets) do
    if not protocol.is_stream(dataset) then
      raise("ChainDataset: datasets[%d]: expected an IterableDataset, got %s", k,
        protocol.kind_of(dataset))
    end
  end
  self.datasets = datasets
end

--- The sum of the lengths, if all data sets have one.
function ChainDataset:__len()
  local total = 0
  for k, dataset in ipairs(self.datasets) do
    total = total + protocol.need_length("ChainDataset", ("datasets[%d]"):format(k), dataset)
  end
  return total
end

--- The samples; each data set is opened when the one before it is at its end.
function ChainDataset:iter()
  local k, step = 0, nil
  local advance
  local function pass_on(first, ...)
    if first == nil then
      step = nil
      return advance()
    end
    return first, ...
  end
  function advance()
    if not step then
      k = k + 1
      if k > #self.datasets then return nil end
      step = protocol.steps(self.datasets[k])
    end
    return pass_on(step())
  end
  return advance
end

return ChainDataset
