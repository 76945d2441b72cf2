-- MobileNetV3 (Howard et al., 2019).
local class = require "tide.internal.class"
local divisible = require("tide.vision.models.internal.channels").divisible
local family = require "tide.vision.models.internal.family"
local nn = require "tide.nn"
local ops = require "tide.vision.ops"
local start = require "tide.vision.models.internal.start"

local function squeeze_excitation(channels)
  return ops.SqueezeExcitation(channels, divisible(channels // 4, 8),
    {scale_activation = nn.Hardsigmoid})
end

local InvertedResidual = class("InvertedResidual", nn.Module)

--- `row`: {inputs, kernel, expanded, outputs, squeezed, activation, stride, dilation}.
function InvertedResidual:init(row, norm_layer)
  local inputs, kernel, expanded, outputs, squeezed, activation, stride, dilation = table.unpack(row)
  local layer, list = activation == "HS" and nn.Hardswish or nn.ReLU, {}
  if expanded ~= inputs then
    list[1] = ops.Conv2dNormActivation(inputs, expanded, 1,
      {norm_layer = norm_layer, activation_layer = layer})
  end
  list[#list + 1] = ops.Conv2dNormActivation(expanded, expanded, kernel, {
    stride = dilation > 1 and 1 or stride, dilation = dilation, groups = expanded,
    norm_layer = norm_layer, activation_layer = layer,
  })
  if squeezed then list[#list + 1] = squeeze_excitation(expanded) end
  list[#list + 1] = ops.Conv2dNormActivation(expanded, outputs, 1,
    {norm_layer = norm_layer, activation_layer = false})
  self.use_res_connect = stride == 1 and inputs == outputs
  self.block = nn.Sequential(list)
end

function InvertedResidual:forward(x)
  local y = self.block(x)
  return self.use_res_connect and y + x or y
end

-- Rows as in InvertedResidual; reduced_tail halves the channels of the last rows, and dilated dilates them.

local function large_rows(tail, dilation)
  local last, wide = 160 // tail, 960 // tail
  return {
    {16, 3, 16, 16, false, "RE", 1, 1}, {16, 3, 64, 24, false, "RE", 2, 1},
    {24, 3, 72, 24, false, "RE", 1, 1}, {24, 5, 72, 40, true, "RE", 2, 1},
    {40, 5, 120, 40, true, "RE", 1, 1}, {40, 5, 120, 40, true, "RE", 1, 1},
    {40, 3, 240, 80, false, "HS", 2, 1}, {80, 3, 200, 80, false, "HS", 1, 1},
    {80, 3, 184, 80, false, "HS", 1, 1}, {80, 3, 184, 80, false, "HS", 1, 1},
    {80, 3, 480, 112, true, "HS", 1, 1}, {112, 3, 672, 112, true, "HS", 1, 1},
    {112, 5, 672, last, true, "HS", 2, dilation}, {last, 5, wide, last, true, "HS", 1, dilation},
    {last, 5, wide, last, true, "HS", 1, dilation},
  }
end

local function small_rows(tail, dilation)
  local last, wide = 96 // tail, 576 // tail
  return {
    {16, 3, 16, 16, true, "RE", 2, 1}, {16, 3, 72, 24, false, "RE", 2, 1},
    {24, 3, 88, 24, false, "RE", 1, 1}, {24, 5, 96, 40, true, "HS", 2, 1},
    {40, 5, 240, 40, true, "HS", 1, 1}, {40, 5, 240, 40, true, "HS", 1, 1},
    {40, 5, 120, 48, true, "HS", 1, 1}, {48, 5, 144, 48, true, "HS", 1, 1},
    {48, 5, 288, last, true, "HS", 2, dilation}, {last, 5, wide, last, true, "HS", 1, dilation},
    {last, 5, wide, last, true, "HS", 1, dilation},
  }
end

local MobileNetV3 = class("MobileNetV3", nn.Module)

function MobileNetV3:init(make_rows, last_channel, given)
  local tail = given.reduced_tail and 2 or 1
  local norm_layer = given.norm_layer
  local function adjusted(channels) return divisible(channels * given.width_mult, 8) end
  local function block(inputs, outputs, size, stride)
    return ops.Conv2dNormActivation(inputs, outputs, size,
      {stride = stride, norm_layer = norm_layer, activation_layer = nn.Hardswish})
  end
  local rows = make_rows(tail, given.dilated and 2 or 1)
  for _, row in ipairs(rows) do
    row[1], row[3], row[4] = adjusted(row[1]), adjusted(row[3]), adjusted(row[4])
  end
  self.features = nn.Sequential(block(3, rows[1][1], 3, 2))
  for _, row in ipairs(rows) do self.features:add(InvertedResidual(row, norm_layer)) end
  local inputs = rows[#rows][4]
  self.features:add(block(inputs, 6 * inputs, 1, 1))
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  local hidden = adjusted(last_channel // tail)
  self.classifier = nn.Sequential(nn.Linear(6 * inputs, hidden), nn.Hardswish({inplace = true}),
    nn.Dropout(given.dropout, true), nn.Linear(hidden, given.num_classes))
  start.layers(self, {Conv2d = start.fan_out, Linear = start.normal(0.01)})
end

function MobileNetV3:forward(x)
  return self.classifier(self.avgpool(self.features(x)):flatten(2))
end

local function usual_norm(channels) return nn.BatchNorm2d(channels, {eps = 0.001, momentum = 0.01}) end

local mobilenets, mobilenet = family(MobileNetV3, usual_norm)

--- MobileNetV3; small and large have 2.5 and 5.5 million parameters.
---@use vision: num_classes = 1000, width_mult = 1.0, reduced_tail = false, dilated = false, norm_layer = nil, dropout
---  = 0.2
---@example
--- tide.vision.models.mobilenet_v3_large ~= nil --> true
mobilenet("vision.models.mobilenet_v3_large", large_rows, 1280)

--- MobileNetV3; small and large have 2.5 and 5.5 million parameters.
---@like vision.models.mobilenet_v3_large
---@example
--- tide.vision.models.mobilenet_v3_small():get_parameter("classifier.3.weight").shape --> {1000, 1024}
mobilenet("vision.models.mobilenet_v3_small", small_rows, 1024)

return mobilenets
