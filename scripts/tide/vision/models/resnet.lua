-- Residual networks (He et al., 2015), wide residual networks, and ResNeXt.
local class = require "tide.internal.class"
local init = require "tide.nn.init"
local kind_of = require "tide.internal.kind_of"
local network = require "tide.vision.models.internal.network"
local nn = require "tide.nn"
local raise = require "tide.internal.raise"
local start = require "tide.vision.models.internal.start"

local function conv3x3(inputs, outputs, stride, groups, dilation)
  return nn.Conv2d(inputs, outputs, 3, {
    stride = stride, padding = dilation, groups = groups, bias = false, dilation = dilation,
  })
end

local function conv1x1(inputs, outputs, stride)
  return nn.Conv2d(inputs, outputs, 1, {stride = stride, bias = false})
end

-- Blocks: Block(inputs, planes, {stride, downsample, groups, base_width, dilation, norm_layer}).

local BasicBlock = class("BasicBlock", nn.Module)
BasicBlock:optional "downsample"
BasicBlock.expansion = 1

function BasicBlock:init(inputs, planes, given)
  if given.groups ~= 1 or given.base_width ~= 64 then
    raise("BasicBlock: groups must be 1 and width_per_group 64, got %d and %d", given.groups,
      given.base_width)
  end
  if given.dilation > 1 then
    raise("BasicBlock: a dilation of %d instead of a stride needs a network of Bottleneck blocks",
      given.dilation)
  end
  self.conv1 = conv3x3(inputs, planes, given.stride, 1, 1)
  self.bn1 = given.norm_layer(planes)
  self.relu = nn.ReLU({inplace = true})
  self.conv2 = conv3x3(planes, planes, 1, 1, 1)
  self.bn2 = given.norm_layer(planes)
  self.downsample = given.downsample
end

function BasicBlock:forward(x)
  local y = self.relu(self.bn1(self.conv1(x)))
  y = self.bn2(self.conv2(y))
  return self.relu(y + (self.downsample and self.downsample(x) or x))
end

local Bottleneck = class("Bottleneck", nn.Module)
Bottleneck:optional "downsample"
Bottleneck.expansion = 4

function Bottleneck:init(inputs, planes, given)
  local width = math.floor(planes * (given.base_width / 64)) * given.groups
  self.conv1 = conv1x1(inputs, width, 1)
  self.bn1 = given.norm_layer(width)
  self.conv2 = conv3x3(width, width, given.stride, given.groups, given.dilation)
  self.bn2 = given.norm_layer(width)
  self.conv3 = conv1x1(width, planes * 4, 1)
  self.bn3 = given.norm_layer(planes * 4)
  self.relu = nn.ReLU({inplace = true})
  self.downsample = given.downsample
end

function Bottleneck:forward(x)
  local y = self.relu(self.bn1(self.conv1(x)))
  y = self.relu(self.bn2(self.conv2(y)))
  y = self.bn3(self.conv3(y))
  return self.relu(y + (self.downsample and self.downsample(x) or x))
end

local ResNet = class("ResNet", nn.Module)

--- Reads the list of three booleans: whether each of the last stages is dilated instead of strided.
local function read_dilated(given)
  local dilated = given.replace_stride_with_dilation or {false, false, false}
  if type(dilated) ~= "table" or #dilated ~= 3 then
    raise("ResNet: replace_stride_with_dilation: expected a list of 3 booleans, got %s",
      type(dilated) == "table" and #dilated .. " entries" or kind_of(dilated))
  end
  return dilated
end

function ResNet:init(block, layers, given)
  local dilated, norm_layer = read_dilated(given), given.norm_layer
  local inputs, dilation = 64, 1

  local function stage(planes, blocks, stride, dilate)
    local before, outputs = dilation, planes * block.expansion
    if dilate then dilation, stride = dilation * stride, 1 end
    local downsample
    if stride ~= 1 or inputs ~= outputs then
      downsample = nn.Sequential(conv1x1(inputs, outputs, stride), norm_layer(outputs))
    end
    local list = nn.Sequential()
    for i = 1, blocks do
      list:add(block(inputs, planes, {
        stride = i == 1 and stride or 1, downsample = i == 1 and downsample or nil,
        groups = given.groups, base_width = given.width_per_group,
        dilation = i == 1 and before or dilation, norm_layer = norm_layer,
      }))
      inputs = outputs
    end
    return list
  end

  self.conv1 = nn.Conv2d(3, inputs, 7, {stride = 2, padding = 3, bias = false})
  self.bn1 = norm_layer(inputs)
  self.relu = nn.ReLU({inplace = true})
  self.maxpool = nn.MaxPool2d(3, {stride = 2, padding = 1})
  self.layer1 = stage(64, layers[1], 1, false)
  self.layer2 = stage(128, layers[2], 2, dilated[1])
  self.layer3 = stage(256, layers[3], 2, dilated[2])
  self.layer4 = stage(512, layers[4], 2, dilated[3])
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.fc = nn.Linear(512 * block.expansion, given.num_classes)

  start.layers(self, {Conv2d = start.fan_out})
  if given.zero_init_residual then
    for _, module in ipairs(self:modules()) do
      if class.is_a(module, Bottleneck) then init.zeros_(module.bn3.weight) end
      if class.is_a(module, BasicBlock) then init.zeros_(module.bn2.weight) end
    end
  end
end

function ResNet:forward(x)
  x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
  x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
  return self.fc(self.avgpool(x):flatten(2))
end

local resnets = {}

--- Makes the declared network.
local function resnet(declared, block, layers, fixed)
  resnets[declared:match "[%w_]+$"] = network(declared, function(given) return ResNet(block, layers, given) end,
    fixed)
end

--- A residual network, named by its number of layers; norm_layer(channels) makes its norm layers.
---@use vision: num_classes = 1000, zero_init_residual = false, groups = 1, width_per_group = 64,
---  replace_stride_with_dilation = nil, norm_layer = nn.BatchNorm2d
---@example
--- tide.vision.models.resnet18({num_classes = 10}):get_parameter("fc.weight").shape --> {10, 512}
resnet("vision.models.resnet18", BasicBlock, {2, 2, 2, 2})

--- A residual network, named by its number of layers; norm_layer(channels) makes its norm layers.
---@like vision.models.resnet18
---@example
--- tide.vision.models.resnet34 ~= nil --> true
resnet("vision.models.resnet34", BasicBlock, {3, 4, 6, 3})

--- A residual network, named by its number of layers; norm_layer(channels) makes its norm layers.
---@like vision.models.resnet18
---@example
--- tide.vision.models.resnet50 ~= nil --> true
resnet("vision.models.resnet50", Bottleneck, {3, 4, 6, 3})

--- A residual network, named by its number of layers; norm_layer(channels) makes its norm layers.
---@like vision.models.resnet18
---@example
--- tide.vision.models.resnet101 ~= nil --> true
resnet("vision.models.resnet101", Bottleneck, {3, 4, 23, 3})

--- A residual network, named by its number of layers; norm_layer(channels) makes its norm layers.
---@like vision.models.resnet18
---@example
--- tide.vision.models.resnet152 ~= nil --> true
resnet("vision.models.resnet152", Bottleneck, {3, 8, 36, 3})

--- ResNeXt: a residual network with grouped convolutions, named by its number of layers, groups and width.
---@use vision: num_classes = 1000, zero_init_residual = false, replace_stride_with_dilation = nil, norm_layer =
---  nn.BatchNorm2d
---@example
--- tide.vision.models.resnext50_32x4d ~= nil --> true
resnet("vision.models.resnext50_32x4d", Bottleneck, {3, 4, 6, 3}, {groups = 32, width_per_group = 4})

--- ResNeXt: a residual network with grouped convolutions, named by its number of layers, groups and width.
---@like vision.models.resnext50_32x4d
---@example
--- tide.vision.models.resnext101_32x8d ~= nil --> true
resnet("vision.models.resnext101_32x8d", Bottleneck, {3, 4, 23, 3}, {groups = 32, width_per_group = 8})

--- ResNeXt: a residual network with grouped convolutions, named by its number of layers, groups and width.
---@like vision.models.resnext50_32x4d
---@example
--- tide.vision.models.resnext101_64x4d ~= nil --> true
resnet("vision.models.resnext101_64x4d", Bottleneck, {3, 4, 23, 3}, {groups = 64, width_per_group = 4})

--- A wide residual network, named by its number of layers, with twice the channels inside its blocks.
---@use vision: num_classes = 1000, zero_init_residual = false, groups = 1, replace_stride_with_dilation = nil,
---  norm_layer = nn.BatchNorm2d
---@example
--- tide.vision.models.wide_resnet50_2 ~= nil --> true
resnet("vision.models.wide_resnet50_2", Bottleneck, {3, 4, 6, 3}, {width_per_group = 128})

--- A wide residual network, named by its number of layers, with twice the channels inside its blocks.
---@like vision.models.wide_resnet50_2
---@example
--- tide.vision.models.wide_resnet101_2 ~= nil --> true
resnet("vision.models.wide_resnet101_2", Bottleneck, {3, 4, 23, 3}, {width_per_group = 128})

return resnets
