-- SqueezeNet (Iandola et al., 2016).
local class = require "tide.internal.class"
local init = require "tide.nn.init"
local network = require "tide.vision.models.internal.network"
local nn = require "tide.nn"
local start = require "tide.vision.models.internal.start"
local tide = require "tide"

local Fire = class("Fire", nn.Module)

function Fire:init(inputs, squeezed, expanded)
  self.squeeze = nn.Conv2d(inputs, squeezed, 1)
  self.squeeze_activation = nn.ReLU({inplace = true})
  self.expand1x1 = nn.Conv2d(squeezed, expanded, 1)
  self.expand1x1_activation = nn.ReLU({inplace = true})
  self.expand3x3 = nn.Conv2d(squeezed, expanded, 3, {padding = 1})
  self.expand3x3_activation = nn.ReLU({inplace = true})
end

function Fire:forward(x)
  x = self.squeeze_activation(self.squeeze(x))
  return tide.cat({self.expand1x1_activation(self.expand1x1(x)),
    self.expand3x3_activation(self.expand3x3(x))}, 2)
end

local SqueezeNet = class("SqueezeNet", nn.Module)

--- `stem` is the first convolution; `pools` is the set of the eight Fire modules that a pool precedes.
function SqueezeNet:init(stem, pools, given)
  local outputs, fires = stem.out_channels, {16, 16, 32, 32, 48, 48, 64, 64}
  self.features = nn.Sequential(stem, nn.ReLU({inplace = true}))
  for i, squeezed in ipairs(fires) do
    if pools[i] then self.features:add(nn.MaxPool2d(3, {stride = 2, ceil_mode = true})) end
    self.features:add(Fire(outputs, squeezed, 4 * squeezed))
    outputs = 8 * squeezed
  end
  local last = nn.Conv2d(outputs, given.num_classes, 1)
  self.classifier = nn.Sequential(nn.Dropout(given.dropout), last, nn.ReLU({inplace = true}),
    nn.AdaptiveAvgPool2d(1))
  start.layers(self, {Conv2d = start.with(init.kaiming_uniform_)})
  init.normal_(last.weight, 0, 0.01)
end

function SqueezeNet:forward(x) return self.classifier(self.features(x)):flatten(2) end

--- SqueezeNet, 1.2 million parameters.
---@use vision: num_classes = 1000, dropout = 0.5
---@example
--- tide.vision.models.squeezenet1_0 ~= nil --> true
local squeezenet1_0 = network("vision.models.squeezenet1_0", function(given)
  local pools = {[1] = true, [4] = true, [8] = true}
  return SqueezeNet(nn.Conv2d(3, 96, 7, {stride = 2}), pools, given)
end)

--- SqueezeNet, 1.2 million parameters.
---@like vision.models.squeezenet1_0
---@example
--- tide.vision.models.squeezenet1_1({num_classes = 10})(tide.ones(1, 3, 32, 32)).shape --> {1, 10}
local squeezenet1_1 = network("vision.models.squeezenet1_1", function(given)
  local pools = {[1] = true, [3] = true, [5] = true}
  return SqueezeNet(nn.Conv2d(3, 64, 3, {stride = 2}), pools, given)
end)

return {squeezenet1_0 = squeezenet1_0, squeezenet1_1 = squeezenet1_1}
