-- Densely connected networks (Huang et al., 2016).
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local network = require "tide.vision.models.internal.network"
local nn = require "tide.nn"
local start = require "tide.vision.models.internal.start"
local tide = require "tide"

local DenseLayer = class("DenseLayer", nn.Module)

function DenseLayer:init(inputs, given)
  local growth, inner = given.growth_rate, given.bn_size * given.growth_rate
  self.norm1 = nn.BatchNorm2d(inputs)
  self.relu1 = nn.ReLU({inplace = true})
  self.conv1 = nn.Conv2d(inputs, inner, 1, {bias = false})
  self.norm2 = nn.BatchNorm2d(inner)
  self.relu2 = nn.ReLU({inplace = true})
  self.conv2 = nn.Conv2d(inner, growth, 3, {padding = 1, bias = false})
  self.drop_rate, self.memory_efficient = given.drop_rate, given.memory_efficient
end

--- The layer's output for the list of all previous features.
function DenseLayer:forward(features)
  local function bottleneck(...)
    return self.conv1(self.relu1(self.norm1(tide.cat({...}, 2))))
  end
  local y
  if self.memory_efficient and self.training then
    y = tide.checkpoint(bottleneck, table.unpack(features))
  else
    y = bottleneck(table.unpack(features))
  end
  y = self.conv2(self.relu2(self.norm2(y)))
  return self.drop_rate > 0 and F.dropout(y, self.drop_rate, self.training) or y
end

local DenseBlock = class("DenseBlock", nn.Module)

function DenseBlock:init(count, inputs, given)
  for i = 1, count do
    self["denselayer" .. i] = DenseLayer(inputs + (i - 1) * given.growth_rate, given)
  end
end

function DenseBlock:forward(x)
  local features = {x}
  for _, layer in ipairs(self:children()) do features[#features + 1] = layer(features) end
  return tide.cat(features, 2)
end

--- Halves the number of channels, the height and the width.
local function transition(inputs)
  return nn.Sequential({"norm", nn.BatchNorm2d(inputs)}, {"relu", nn.ReLU({inplace = true})},
    {"conv", nn.Conv2d(inputs, inputs // 2, 1, {bias = false})}, {"pool", nn.AvgPool2d(2, 2)})
end

--- Older torchvision files name layers norm.1, conv.2: renames them in the state to load.
local function rename_old(_, state)
  local renamed = {}
  for key, tensor in pairs(state) do
    local layer, number, field = key:match "^(.*denselayer%d+%.%a+)%.(%d)(%..*)$"
    if layer then renamed[key] = {layer .. number .. field, tensor} end
  end
  for key, entry in pairs(renamed) do state[key], state[entry[1]] = nil, entry[2] end
end

local DenseNet = class("DenseNet", nn.Module)

function DenseNet:init(blocks, given)
  local count = given.num_init_features
  self.features = nn.Sequential(
    {"conv0", nn.Conv2d(3, count, 7, {stride = 2, padding = 3, bias = false})},
    {"norm0", nn.BatchNorm2d(count)}, {"relu0", nn.ReLU({inplace = true})},
    {"pool0", nn.MaxPool2d(3, {stride = 2, padding = 1})})
  for i, layers in ipairs(blocks) do
    self.features:add {"denseblock" .. i, DenseBlock(layers, count, given)}
    count = count + layers * given.growth_rate
    if i < #blocks then
      self.features:add {"transition" .. i, transition(count)}
      count = count // 2
    end
  end
  self.features:add {"norm5", nn.BatchNorm2d(count)}
  self.classifier = nn.Linear(count, given.num_classes)
  start.layers(self, {Conv2d = start.with(init.kaiming_normal_)})
  init.zeros_(self.classifier.bias)
  self:register_load_state_dict_pre_hook(rename_old)
end

function DenseNet:forward(x)
  x = F.adaptive_avg_pool2d(self.features(x):relu(), 1)
  return self.classifier(x:flatten(2))
end

local densenets = {}

--- Makes the declared network.
local function densenet(declared, growth, features, blocks)
  densenets[declared:match "[%w_]+$"] = network(declared, function(given) return DenseNet(blocks, given) end,
    {growth_rate = growth, num_init_features = features})
end

--- A densely connected network, named by its number of layers; memory_efficient recomputes parts in backward.
---@use vision: bn_size = 4, drop_rate = 0.0, num_classes = 1000, memory_efficient = false
---@example
--- tide.vision.models.densenet121():get_parameter("classifier.weight").shape --> {1000, 1024}
densenet("vision.models.densenet121", 32, 64, {6, 12, 24, 16})

--- A densely connected network, named by its number of layers; memory_efficient recomputes parts in backward.
---@like vision.models.densenet121
---@example
--- tide.vision.models.densenet161 ~= nil --> true
densenet("vision.models.densenet161", 48, 96, {6, 12, 36, 24})

--- A densely connected network, named by its number of layers; memory_efficient recomputes parts in backward.
---@like vision.models.densenet121
---@example
--- tide.vision.models.densenet169 ~= nil --> true
densenet("vision.models.densenet169", 32, 64, {6, 12, 32, 32})

--- A densely connected network, named by its number of layers; memory_efficient recomputes parts in backward.
---@like vision.models.densenet121
---@example
--- tide.vision.models.densenet201 ~= nil --> true
densenet("vision.models.densenet201", 32, 64, {6, 12, 48, 32})

return densenets
