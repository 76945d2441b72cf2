-- data.TensorDataset: samples that are the rows of tensors of equal length.
local define = require "tide.internal.declare.define"
local Dataset = require "tide.data.dataset".Dataset
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- A data set of the rows of tensors.
---@param tensor... tensor  tensors of equal length; a sample has a row of each
---@counts positions of samples
---@see data.DataLoader data.ListDataset data.Subset data.random_split
---@example
--- #tide.data.TensorDataset(tide.ones(5, 3), tide.ones(5)) --> 5
local TensorDataset = define("data.TensorDataset", Dataset)

function TensorDataset:init(...)
  self.tensors = {...}
  if select("#", ...) == 0 then raise("TensorDataset: expected one tensor or more, got none") end
  for i = 1, select("#", ...) do
    local tensor = self.tensors[i]
    if not tide.is_tensor(tensor) then
      raise("TensorDataset: argument %d: expected a tensor, got %s", i, protocol.kind_of(tensor))
    end
    if tensor:dim() == 0 then raise("TensorDataset: tensor %d has no dimensions, so no rows", i) end
    if #tensor ~= #self.tensors[1] then
      raise("TensorDataset: tensor %d has %d rows, the first has %d", i, #tensor, #self.tensors[1])
    end
  end
end

function TensorDataset:__len() return #self.tensors[1] end

--- Sample i: one value of each tensor.
function TensorDataset:get(i)
  local position, sample = protocol.check_position("TensorDataset", i, #self), {}
  for k, tensor in ipairs(self.tensors) do sample[k] = tensor[position] end
  return table.unpack(sample)
end

--- The samples at these positions (an int64 tensor) as one batch, gathered on the device of each tensor. Positions are
--- copied once for consecutive tensors on the same device.
function TensorDataset:get_batch(positions)
  local batch = {}
  for k, tensor in ipairs(self.tensors) do
    positions = positions:to(tensor.device)
    batch[k] = tensor:index_select(1, positions)
  end
  return table.unpack(batch)
end

return TensorDataset
