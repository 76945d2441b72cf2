-- Datasets whose images are in one cpu tensor: workers share it, and without transforms a batch is
-- one gather.
local class = require "tide.internal.class"
local protocol = require "tide.data.protocol"
local VisionDataset = require "tide.vision.datasets.vision_dataset"

local ArrayDataset = class("ArrayDataset", VisionDataset)

--- Sets data, uint8 (n, channels, height, width), and targets, int64 (n), counted from 1.
function ArrayDataset:set_arrays(data, targets)
  self.data, self.targets = data, targets
  self.can_batch = not (self.transform or self.target_transform)
end

function ArrayDataset:__len() return #self.data end

function ArrayDataset:get(i)
  local position = protocol.check_position(getmetatable(self).name, i, #self)
  return self:transformed(self.data[position], self.targets[position]:item())
end

--- The samples at these positions (an int64 tensor); called only without transforms.
function ArrayDataset:get_batch(positions)
  positions = positions:cpu()
  return self.data:index_select(1, positions), self.targets:index_select(1, positions)
end

return ArrayDataset
