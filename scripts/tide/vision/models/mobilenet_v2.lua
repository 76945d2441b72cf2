-- MobileNetV2 (Sandler et al., 2018).
local class = require "tide.internal.class"
local divisible = require("tide.vision.models.internal.channels").divisible
local network = require "tide.vision.models.internal.network"
local nn = require "tide.nn"
local ops = require "tide.vision.ops"
local raise = require "tide.internal.raise"
local start = require "tide.vision.models.internal.start"

local InvertedResidual = class("InvertedResidual", nn.Module)

function InvertedResidual:init(inputs, outputs, stride, expand_ratio, norm_layer)
  if stride ~= 1 and stride ~= 2 then raise("mobilenet_v2: stride must be 1 or 2, got %s", stride) end
  local hidden = math.tointeger(math.floor(inputs * expand_ratio + 0.5))
  local list = {}
  if expand_ratio ~= 1 then
    list[1] = ops.Conv2dNormActivation(inputs, hidden, 1,
      {norm_layer = norm_layer, activation_layer = nn.ReLU6})
  end
  list[#list + 1] = ops.Conv2dNormActivation(hidden, hidden, 3, {
    stride = stride, groups = hidden, norm_layer = norm_layer, activation_layer = nn.ReLU6,
  })
  list[#list + 1] = nn.Conv2d(hidden, outputs, 1, {bias = false})
  list[#list + 1] = norm_layer(outputs)
  self.use_res_connect = stride == 1 and inputs == outputs
  self.conv = nn.Sequential(list)
end

function InvertedResidual:forward(x)
  local y = self.conv(x)
  return self.use_res_connect and x + y or y
end

-- Rows {expand_ratio, channels, blocks, stride of the first}.
local usual <const> = {
  {1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
  {6, 320, 1, 1},
}

local MobileNetV2 = class("MobileNetV2", nn.Module)

function MobileNetV2:init(given)
  local setting = given.inverted_residual_setting or usual
  if type(setting) ~= "table" or type(setting[1]) ~= "table" or #setting[1] ~= 4 then
    raise("mobilenet_v2: inverted_residual_setting: expected rows of 4 numbers")
  end
  local width, multiple, norm_layer = given.width_mult, given.round_nearest, given.norm_layer
  local function block(inputs, outputs, size, stride)
    return ops.Conv2dNormActivation(inputs, outputs, size,
      {stride = stride, norm_layer = norm_layer, activation_layer = nn.ReLU6})
  end
  local inputs = divisible(32 * width, multiple)
  local last = divisible(1280 * math.max(1, width), multiple)
  self.features = nn.Sequential(block(3, inputs, 3, 2))
  for _, row in ipairs(setting) do
    local outputs = divisible(row[2] * width, multiple)
    for i = 1, row[3] do
      self.features:add(InvertedResidual(inputs, outputs, i == 1 and row[4] or 1, row[1], norm_layer))
      inputs = outputs
    end
  end
  self.features:add(block(inputs, last, 1, 1))
  self.classifier = nn.Sequential(nn.Dropout(given.dropout), nn.Linear(last, given.num_classes))
  start.layers(self, {Conv2d = start.fan_out, Linear = start.normal(0.01)})
end

function MobileNetV2:forward(x)
  x = nn.functional.adaptive_avg_pool2d(self.features(x), 1)
  return self.classifier(x:flatten(2))
end

--- MobileNetV2, 3.5 million parameters.
---@use vision: num_classes = 1000, width_mult = 1.0
---@param inverted_residual_setting table = nil  {expansion, channels, blocks, stride} of each stage
---@param round_nearest integer > 0 = 8  channel counts are multiples of this
---@use vision: norm_layer = nn.BatchNorm2d, dropout = 0.2
---@example
--- tide.vision.models.mobilenet_v2():get_parameter("classifier.1.weight").shape --> {1000, 1280}
local mobilenet_v2 = network("vision.models.mobilenet_v2", MobileNetV2)

return {mobilenet_v2 = mobilenet_v2}
