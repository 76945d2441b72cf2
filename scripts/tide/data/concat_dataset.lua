-- data.ConcatDataset: the samples of several data sets, one after the other.
local define = require "tide.internal.declare.define"
local Dataset = require "tide.data.dataset".Dataset
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"

--- The samples of a list of data sets, one after the other; also created by a + b.
---@param datasets table  list of data sets
---@counts positions of samples
---@see data.DataLoader data.TensorDataset data.ListDataset data.Subset data.random_split
---@example
--- tide.data.ConcatDataset({{1, 2}, {3}}):get(3) --> 3
local ConcatDataset, read = define("data.ConcatDataset", Dataset)

--- `cumulative_sizes[k]` is the number of samples in the first k data sets.
function ConcatDataset:init(...)
  local datasets = read(...).datasets
  if not protocol.is_list(datasets) or #datasets == 0 then
    raise("ConcatDataset: expected a list of one dataset or more, got %s",
      protocol.is_list(datasets) and "an empty one" or protocol.kind_of(datasets))
  end
  self.datasets, self.cumulative_sizes = {}, {}
  local total = 0
  for k, dataset in ipairs(datasets) do
    local what = ("datasets[%d]"):format(k)
    self.datasets[k] = protocol.as_map("ConcatDataset", dataset, what)
    total = total + protocol.need_length("ConcatDataset", what, self.datasets[k])
    self.cumulative_sizes[k] = total
  end
end

function ConcatDataset:__len() return self.cumulative_sizes[#self.cumulative_sizes] end

function ConcatDataset:get(i)
  local position = protocol.check_position("ConcatDataset", i, #self)
  local sizes = self.cumulative_sizes
  local low, high = 1, #sizes -- the first data set whose samples reach up to the position
  while low < high do
    local middle = (low + high) // 2
    if sizes[middle] >= position then high = middle else low = middle + 1 end
  end
  return self.datasets[low]:get(position - (sizes[low - 1] or 0))
end

return ConcatDataset
