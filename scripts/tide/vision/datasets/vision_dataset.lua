-- The base class of image datasets: transforms of the image and of the class.
local class = require "tide.internal.class"
local Dataset = require "tide.data.dataset".Dataset
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"

local VisionDataset = class("VisionDataset", Dataset)

local function check_callable(self, name, value)
  local meta = debug.getmetatable(value)
  if value == nil or type(value) == "function" or type(meta) == "table" and meta.__call then return value end
  raise("%s: %s: expected a function or a transform, got %s", getmetatable(self).name, name,
    protocol.kind_of(value))
end

--- Sets the options transform and target_transform.
function VisionDataset:set_transforms(given)
  self.transform = check_callable(self, "transform", given.transform)
  self.target_transform = check_callable(self, "target_transform", given.target_transform)
end

--- Sets classes, a list of names, and class_to_idx.
function VisionDataset:set_classes(classes)
  self.classes, self.class_to_idx = classes, {}
  for i, name in ipairs(classes) do self.class_to_idx[name] = i end
end

--- A sample: the transformed image and class.
function VisionDataset:transformed(image, target)
  if self.transform then image = self.transform(image) end
  if self.target_transform then target = self.target_transform(target) end
  return image, target
end

return VisionDataset
