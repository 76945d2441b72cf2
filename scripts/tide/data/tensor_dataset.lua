-- data.TensorDataset: samples that are the rows of tensors of equal length.
local class = require "tide.internal.class"
local raise = require "tide.internal.raise"

local TensorDataset = class("TensorDataset")

--- data.TensorDataset(images, labels): sample i is images[i], labels[i].
function TensorDataset:init(...)
  self.tensors = {...}
  for i, tensor in ipairs(self.tensors) do
    if #tensor ~= #self.tensors[1] then
      raise("TensorDataset: tensor %d has %d rows, the first has %d", i, #tensor, #self.tensors[1])
    end
  end
end

function TensorDataset:__len() return #self.tensors[1] end

--- Sample i: one value of each tensor.
function TensorDataset:get(i)
  local sample = {}
  for k, tensor in ipairs(self.tensors) do sample[k] = tensor[i] end
  return table.unpack(sample)
end

--- The samples at these positions (an int64 tensor) as one batch: one gather a tensor, where the
--- data lie.
function TensorDataset:get_batch(positions)
  local batch = {}
  for k, tensor in ipairs(self.tensors) do
    batch[k] = tensor:index_select(1, positions:to(tensor.device))
  end
  return table.unpack(batch)
end

return TensorDataset
