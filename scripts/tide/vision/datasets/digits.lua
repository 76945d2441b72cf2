-- datasets.Digits: the handwritten digits that come with tide, 8 x 8 pixels of values 0..16.
local arguments = require "tide.internal.arguments"
local ArrayDataset = require "tide.vision.datasets.array_dataset"
local class = require "tide.internal.class"
local tide = require "tide"

local Digits = class("Digits", ArrayDataset)

local read = arguments("Digits", {{"transform"}, {"target_transform"}})

--- Digits{transform =, target_transform =}: 1797 samples; class 1 is the digit 0.
function Digits:init(...)
  self:set_transforms(read(...))
  self:set_classes {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
  local images, labels = tide.data.digits()
  self:set_arrays(images:unsqueeze(2), labels:to "int64" + 1)
end

return Digits
