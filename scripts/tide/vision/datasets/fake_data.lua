-- datasets.FakeData: random images and classes, for testing programs.
local define = require "tide.internal.declare.define"
local draw = require "tide.internal.draw"
local protocol = require "tide.data.protocol"
local tide = require "tide"
local VisionDataset = require "tide.vision.datasets.vision_dataset"

--- Random images, by default 1000 of {3, 224, 224} in 10 classes; the sample at a position is always the same.
---@param size integer >= 0 = 1000  number of samples
---@param image_size integer[3] > 0 = {3, 224, 224}  channels, height, width
---@param num_classes integer > 0 = 10  number of classes, counted from 1
---@use vision: transform = nil, target_transform = nil
---@param random_offset integer >= 0 = 0  added to the seed of each image
---@counts targets, as classes
---@see data.DataLoader vision.transforms.Compose vision.datasets.ImageFolder
---@example
--- tide.vision.datasets.FakeData(5, {3, 4, 6}):get(2).shape --> {3, 4, 6}
local FakeData, read = define("vision.datasets.FakeData", VisionDataset)

--- FakeData(size, image_size, num_classes, {transform =, target_transform =, random_offset = 0}): the
--- sample at a position is always the same.
function FakeData:init(...)
  local given = read(...)
  self:set_transforms(given)
  self.size, self.image_size, self.num_classes = given.size, given.image_size, given.num_classes
  self.random_offset = given.random_offset
end

function FakeData:__len() return self.size end

function FakeData:get(i)
  local position = protocol.check_position("FakeData", i, self.size)
  local state = tide.get_rng_state()
  tide.manual_seed(position + self.random_offset)
  local target = draw.integer(1, self.num_classes)
  local image = tide.randint(0, 255, self.image_size, {device = "cpu"}):to "uint8"
  tide.set_rng_state(state)
  return self:transformed(image, target)
end

return FakeData
