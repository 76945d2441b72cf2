-- AlexNet (Krizhevsky, 2014: One weird trick for parallelizing convolutional neural networks).
local class = require "tide.internal.class"
local network = require "tide.vision.models.internal.network"
local nn = require "tide.nn"

local AlexNet = class("AlexNet", nn.Module)

function AlexNet:init(given)
  local function relu() return nn.ReLU({inplace = true}) end
  self.features = nn.Sequential(
    nn.Conv2d(3, 64, 11, {stride = 4, padding = 2}), relu(), nn.MaxPool2d(3, 2),
    nn.Conv2d(64, 192, 5, {padding = 2}), relu(), nn.MaxPool2d(3, 2),
    nn.Conv2d(192, 384, 3, {padding = 1}), relu(),
    nn.Conv2d(384, 256, 3, {padding = 1}), relu(),
    nn.Conv2d(256, 256, 3, {padding = 1}), relu(), nn.MaxPool2d(3, 2))
  self.avgpool = nn.AdaptiveAvgPool2d(6)
  self.classifier = nn.Sequential(
    nn.Dropout(given.dropout), nn.Linear(256 * 6 * 6, 4096), relu(),
    nn.Dropout(given.dropout), nn.Linear(4096, 4096), relu(),
    nn.Linear(4096, given.num_classes))
end

function AlexNet:forward(x) return self.classifier(self.avgpool(self.features(x)):flatten(2)) end

--- AlexNet, 61 million parameters.
---@use vision: num_classes = 1000, dropout = 0.5
---@example
--- tide.vision.models.alexnet ~= nil --> true
local alexnet = network("vision.models.alexnet", AlexNet)

return {alexnet = alexnet}
