-- LeNet-5 (LeCun et al., 1998) for images of 28 x 28, with ReLU and max pooling.
local class = require "tide.internal.class"
local network = require "tide.vision.models.internal.network"
local nn = require "tide.nn"

local LeNet = class("LeNet", nn.Module)

function LeNet:init(given)
  self.features = nn.Sequential(
    nn.Conv2d(given.in_channels, 6, 5, {padding = 2}), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2))
  self.classifier = nn.Sequential(
    nn.Linear(16 * 5 * 5, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
    nn.Linear(84, given.num_classes))
end

function LeNet:forward(x) return self.classifier(self.features(x):flatten(2)) end

--- LeNet-5 for images of 28 x 28, with ReLU and max pooling.
---@use vision: num_classes = 10
---@param in_channels integer > 0 = 1  channels of the images
---@example
--- tide.vision.models.lenet()(tide.ones(2, 1, 28, 28)).shape --> {2, 10}
local lenet = network("vision.models.lenet", LeNet)

return {lenet = lenet}
