-- VGG networks (Simonyan and Zisserman, 2014), with and without batch normalization.
local class = require "tide.internal.class"
local family = require "tide.vision.models.internal.family"
local nn = require "tide.nn"
local start = require "tide.vision.models.internal.start"

local VGG = class("VGG", nn.Module)

--- The convolutions: stages[i] layers in stage i, with a pool after each stage.
local function make_features(stages, batch_norm)
  local features, inputs = nn.Sequential(), 3
  for i, count in ipairs(stages) do
    local outputs = math.min(64 << (i - 1), 512)
    for _ = 1, count do
      features:add(nn.Conv2d(inputs, outputs, 3, {padding = 1}))
      if batch_norm then features:add(nn.BatchNorm2d(outputs)) end
      features:add(nn.ReLU({inplace = true}))
      inputs = outputs
    end
    features:add(nn.MaxPool2d(2, {stride = 2}))
  end
  return features
end

function VGG:init(stages, batch_norm, given)
  self.features = make_features(stages, batch_norm)
  self.avgpool = nn.AdaptiveAvgPool2d(7)
  self.classifier = nn.Sequential(
    nn.Linear(512 * 7 * 7, 4096), nn.ReLU({inplace = true}), nn.Dropout(given.dropout),
    nn.Linear(4096, 4096), nn.ReLU({inplace = true}), nn.Dropout(given.dropout),
    nn.Linear(4096, given.num_classes))
  if given.init_weights then
    start.layers(self, {Conv2d = start.fan_out, Linear = start.normal(0.01)})
  end
end

function VGG:forward(x) return self.classifier(self.avgpool(self.features(x)):flatten(2)) end

local vggs, vgg = family(VGG)

--- VGG, named by its number of layers; _bn adds batch normalization; 133 to 144 million parameters.
---@use vision: num_classes = 1000, init_weights = true, dropout = 0.5
---@example
--- tide.vision.models.vgg11 ~= nil --> true
vgg("vision.models.vgg11", {1, 1, 2, 2, 2}, false)

--- VGG, named by its number of layers; _bn adds batch normalization; 133 to 144 million parameters.
---@like vision.models.vgg11
---@example
--- tide.vision.models.vgg11_bn ~= nil --> true
vgg("vision.models.vgg11_bn", {1, 1, 2, 2, 2}, true)

--- VGG, named by its number of layers; _bn adds batch normalization; 133 to 144 million parameters.
---@like vision.models.vgg11
---@example
--- tide.vision.models.vgg13 ~= nil --> true
vgg("vision.models.vgg13", {2, 2, 2, 2, 2}, false)

--- VGG, named by its number of layers; _bn adds batch normalization; 133 to 144 million parameters.
---@like vision.models.vgg11
---@example
--- tide.vision.models.vgg13_bn ~= nil --> true
vgg("vision.models.vgg13_bn", {2, 2, 2, 2, 2}, true)

--- VGG, named by its number of layers; _bn adds batch normalization; 133 to 144 million parameters.
---@like vision.models.vgg11
---@example
--- tide.vision.models.vgg16 ~= nil --> true
vgg("vision.models.vgg16", {2, 2, 3, 3, 3}, false)

--- VGG, named by its number of layers; _bn adds batch normalization; 133 to 144 million parameters.
---@like vision.models.vgg11
---@example
--- tide.vision.models.vgg16_bn ~= nil --> true
vgg("vision.models.vgg16_bn", {2, 2, 3, 3, 3}, true)

--- VGG, named by its number of layers; _bn adds batch normalization; 133 to 144 million parameters.
---@like vision.models.vgg11
---@example
--- tide.vision.models.vgg19 ~= nil --> true
vgg("vision.models.vgg19", {2, 2, 4, 4, 4}, false)

--- VGG, named by its number of layers; _bn adds batch normalization; 133 to 144 million parameters.
---@like vision.models.vgg11
---@example
--- tide.vision.models.vgg19_bn ~= nil --> true
vgg("vision.models.vgg19_bn", {2, 2, 4, 4, 4}, true)

return vggs
