-- ShuffleNetV2 (Ma et al., 2018).
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local family = require "tide.vision.models.internal.family"
local nn = require "tide.nn"
local tide = require "tide"

--- A depthwise convolution and its batch norm.
local function depthwise(channels, stride)
  return nn.Conv2d(channels, channels, 3, {stride = stride, padding = 1, groups = channels,
    bias = false}), nn.BatchNorm2d(channels)
end

--- A convolution with batch norm and ReLU.
local function dense(inputs, outputs, size, options)
  options.bias = false
  return nn.Conv2d(inputs, outputs, size, options), nn.BatchNorm2d(outputs), nn.ReLU({inplace = true})
end

local InvertedResidual = class("InvertedResidual", nn.Module)

function InvertedResidual:init(inputs, outputs, stride)
  local half = outputs // 2
  self.stride = stride
  self.branch1 = nn.Sequential()
  if stride > 1 then
    self.branch1:add(depthwise(inputs, stride))
    self.branch1:add(dense(inputs, half, 1, {}))
  end
  self.branch2 = nn.Sequential(dense(stride > 1 and inputs or half, half, 1, {}))
  self.branch2:add(depthwise(half, stride))
  self.branch2:add(dense(half, half, 1, {}))
end

function InvertedResidual:forward(x)
  local first, second = x, x
  if self.stride == 1 then first, second = table.unpack(x:chunk(2, 2)) end
  return F.channel_shuffle(tide.cat({self.branch1(first), self.branch2(second)}, 2), 2)
end

local ShuffleNetV2 = class("ShuffleNetV2", nn.Module)

function ShuffleNetV2:init(channels, given)
  self.conv1 = nn.Sequential(dense(3, channels[1], 3, {stride = 2, padding = 1}))
  self.maxpool = nn.MaxPool2d(3, {stride = 2, padding = 1})
  for i, blocks in ipairs {4, 8, 4} do
    local stage = nn.Sequential(InvertedResidual(channels[i], channels[i + 1], 2))
    for _ = 2, blocks do stage:add(InvertedResidual(channels[i + 1], channels[i + 1], 1)) end
    self["stage" .. i + 1] = stage
  end
  self.conv5 = nn.Sequential(dense(channels[4], channels[5], 1, {}))
  self.fc = nn.Linear(channels[5], given.num_classes)
end

function ShuffleNetV2:forward(x)
  x = self.stage4(self.stage3(self.stage2(self.maxpool(self.conv1(x)))))
  return self.fc(self.conv5(x):mean({3, 4}))
end

local shufflenets, shufflenet = family(ShuffleNetV2)

--- ShuffleNetV2 with the given width multiplier, 1.4 to 7.4 million parameters.
---@use vision: num_classes = 1000
---@example
--- tide.vision.models.shufflenet_v2_x0_5():get_parameter("fc.weight").shape --> {1000, 1024}
shufflenet("vision.models.shufflenet_v2_x0_5", {24, 48, 96, 192, 1024})

--- ShuffleNetV2 with the given width multiplier, 1.4 to 7.4 million parameters.
---@use vision: num_classes = 1000
---@example
--- tide.vision.models.shufflenet_v2_x1_0 ~= nil --> true
shufflenet("vision.models.shufflenet_v2_x1_0", {24, 116, 232, 464, 1024})

--- ShuffleNetV2 with the given width multiplier, 1.4 to 7.4 million parameters.
---@use vision: num_classes = 1000
---@example
--- tide.vision.models.shufflenet_v2_x1_5 ~= nil --> true
shufflenet("vision.models.shufflenet_v2_x1_5", {24, 176, 352, 704, 1024})

--- ShuffleNetV2 with the given width multiplier, 1.4 to 7.4 million parameters.
---@use vision: num_classes = 1000
---@example
--- tide.vision.models.shufflenet_v2_x2_0 ~= nil --> true
shufflenet("vision.models.shufflenet_v2_x2_0", {24, 244, 488, 976, 2048})

return shufflenets
