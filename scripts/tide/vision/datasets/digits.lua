-- datasets.Digits: the handwritten digits included with tide, 8 x 8 pixels with values 0..16.
local define = require "tide.internal.declare.define"
local ArrayDataset = require "tide.vision.datasets.array_dataset"
local tide = require "tide"

--- The 1797 handwritten digits included with tide: images (1, 8, 8) with values 0 to 16; the digit 0 is class 1.
---@use vision: transform = nil, target_transform = nil
---@counts targets, as classes
---@see data.DataLoader vision.transforms.Compose vision.datasets.ImageFolder
---@example
--- tide.vision.datasets.Digits():get(1).shape --> {1, 8, 8}
local Digits, read = define("vision.datasets.Digits", ArrayDataset)

--- Digits{transform =, target_transform =}: 1797 samples; class 1 is the digit 0.
function Digits:init(...)
  self:set_transforms(read(...))
  self:set_classes {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
  local images, labels = tide.data.digits()
  self:set_arrays(images:unsqueeze(2), labels:to "int64" + 1)
end

return Digits
