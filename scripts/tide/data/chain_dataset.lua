-- data.ChainDataset: the samples of several iterable data sets, one after the other.
local define = require "tide.internal.declare.define"
local IterableDataset = require "tide.data.dataset".IterableDataset
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"

--- The samples of a list of iterable data sets, one after the other; also created by a + b.
---@param datasets table  list of iterable data sets
---@counts positions of samples
---@see data.DataLoader data.TensorDataset data.ListDataset data.Subset data.random_split
---@example
--- local Words = tide.class("Words", tide.data.IterableDataset)
--- function Words:iter() return ("to be"):gmatch "%a+" end
--- local all = {}
--- for word in tide.data.ChainDataset({Words(), Words()}):iter() do all[#all + 1] = word end
--- all --> {"to", "be", "to", "be"}
local ChainDataset, read = define("data.ChainDataset", IterableDataset)

function ChainDataset:init(...)
  local datasets = read(...).datasets
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

--- Iterates over the samples; each data set is opened after the previous one has ended.
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
