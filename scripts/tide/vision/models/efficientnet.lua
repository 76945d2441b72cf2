-- EfficientNet (Tan and Le, 2019) and EfficientNetV2 (2021).
local class = require "tide.internal.class"
local divisible = require("tide.vision.models.internal.channels").divisible
local init = require "tide.nn.init"
local network = require "tide.vision.models.internal.network"
local nn = require "tide.nn"
local ops = require "tide.vision.ops"
local start = require "tide.vision.models.internal.start"

-- Blocks take {expand_ratio, kernel, stride, inputs, outputs}, and have a residual connection.

local MBConv = class("MBConv", nn.Module)

--- The list of layers of a block.
local function separable_layers(row, norm_layer)
  local expand_ratio, kernel, stride, inputs, outputs = table.unpack(row)
  local expanded, list = divisible(inputs * expand_ratio, 8), {}
  if expanded ~= inputs then
    list[1] = ops.Conv2dNormActivation(inputs, expanded, 1,
      {norm_layer = norm_layer, activation_layer = nn.SiLU})
  end
  list[#list + 1] = ops.Conv2dNormActivation(expanded, expanded, kernel,
    {stride = stride, groups = expanded, norm_layer = norm_layer, activation_layer = nn.SiLU})
  list[#list + 1] = ops.SqueezeExcitation(expanded, math.max(1, inputs // 4), {activation = nn.SiLU})
  list[#list + 1] = ops.Conv2dNormActivation(expanded, outputs, 1,
    {norm_layer = norm_layer, activation_layer = false})
  return list
end

--- Like separable_layers, with one full convolution instead of a separable one.
local function fused_layers(row, norm_layer)
  local expand_ratio, kernel, stride, inputs, outputs = table.unpack(row)
  local expanded = divisible(inputs * expand_ratio, 8)
  local first = ops.Conv2dNormActivation(inputs, expanded ~= inputs and expanded or outputs, kernel,
    {stride = stride, norm_layer = norm_layer, activation_layer = nn.SiLU})
  if expanded == inputs then return {first} end
  return {first, ops.Conv2dNormActivation(expanded, outputs, 1,
    {norm_layer = norm_layer, activation_layer = false})}
end

function MBConv:init(layers, row, probability, norm_layer)
  self.use_res_connect = row[3] == 1 and row[4] == row[5]
  self.block = nn.Sequential(layers(row, norm_layer))
  self.stochastic_depth = ops.StochasticDepth(probability, "row")
end

function MBConv:forward(x)
  local y = self.block(x)
  return self.use_res_connect and self.stochastic_depth(y) + x or y
end

local EfficientNet = class("EfficientNet", nn.Module)

--- `stages`: {layers, expand_ratio, kernel, stride, inputs, outputs, blocks}.
function EfficientNet:init(stages, last_channel, given)
  local norm_layer, total, id = given.norm_layer, 0, 0
  for _, stage in ipairs(stages) do total = total + stage[7] end
  local function block(inputs, outputs, size, stride)
    return ops.Conv2dNormActivation(inputs, outputs, size,
      {stride = stride, norm_layer = norm_layer, activation_layer = nn.SiLU})
  end
  self.features = nn.Sequential(block(3, stages[1][5], 3, 2))
  for _, stage in ipairs(stages) do
    local layers, expand_ratio, kernel, stride, inputs, outputs, count = table.unpack(stage)
    local list = nn.Sequential()
    for i = 1, count do
      local row = {expand_ratio, kernel, i == 1 and stride or 1, i == 1 and inputs or outputs, outputs}
      list:add(MBConv(layers, row, given.stochastic_depth_prob * id / total, norm_layer))
      id = id + 1
    end
    self.features:add(list)
  end
  local inputs = stages[#stages][6]
  local last = last_channel or 4 * inputs
  self.features:add(block(inputs, last, 1, 1))
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.classifier = nn.Sequential(nn.Dropout(given.dropout, true), nn.Linear(last, given.num_classes))
  local range = 1 / math.sqrt(given.num_classes)
  start.layers(self, {
    Conv2d = start.fan_out,
    Linear = start.with(function(weight) init.uniform_(weight, -range, range) end),
  })
end

function EfficientNet:forward(x)
  return self.classifier(self.avgpool(self.features(x)):flatten(2))
end

local function plain_norm(channels) return nn.BatchNorm2d(channels) end

local function slow_norm(channels) return nn.BatchNorm2d(channels, {eps = 0.001, momentum = 0.01}) end

local function v2_norm(channels) return nn.BatchNorm2d(channels, {eps = 0.001}) end

--- The stages of a network with `width` and `depth` times the width and depth of the first.
local function scaled_stages(width, depth)
  local stages = {}
  for i, row in ipairs {
    {1, 3, 1, 32, 16, 1}, {6, 3, 2, 16, 24, 2}, {6, 5, 2, 24, 40, 2}, {6, 3, 2, 40, 80, 3},
    {6, 5, 1, 80, 112, 3}, {6, 5, 2, 112, 192, 4}, {6, 3, 1, 192, 320, 1},
  } do
    stages[i] = {separable_layers, row[1], row[2], row[3], divisible(row[4] * width, 8),
      divisible(row[5] * width, 8), math.ceil(row[6] * depth)}
  end
  return stages
end

local v2_stages = {
  efficientnet_v2_s = {
    {fused_layers, 1, 3, 1, 24, 24, 2}, {fused_layers, 4, 3, 2, 24, 48, 4},
    {fused_layers, 4, 3, 2, 48, 64, 4}, {separable_layers, 4, 3, 2, 64, 128, 6},
    {separable_layers, 6, 3, 1, 128, 160, 9}, {separable_layers, 6, 3, 2, 160, 256, 15},
  },
  efficientnet_v2_m = {
    {fused_layers, 1, 3, 1, 24, 24, 3}, {fused_layers, 4, 3, 2, 24, 48, 5},
    {fused_layers, 4, 3, 2, 48, 80, 5}, {separable_layers, 4, 3, 2, 80, 160, 7},
    {separable_layers, 6, 3, 1, 160, 176, 14}, {separable_layers, 6, 3, 2, 176, 304, 18},
    {separable_layers, 6, 3, 1, 304, 512, 5},
  },
  efficientnet_v2_l = {
    {fused_layers, 1, 3, 1, 32, 32, 4}, {fused_layers, 4, 3, 2, 32, 64, 7},
    {fused_layers, 4, 3, 2, 64, 96, 7}, {separable_layers, 4, 3, 2, 96, 192, 10},
    {separable_layers, 6, 3, 1, 192, 224, 19}, {separable_layers, 6, 3, 2, 224, 384, 25},
    {separable_layers, 6, 3, 1, 384, 640, 7},
  },
}

local efficientnets = {}

--- Makes the declared network of the first version.
local function efficientnet(declared, width, depth, norm_layer)
  efficientnets[declared:match "[%w_]+$"] = network(declared, function(given)
    given.norm_layer = given.norm_layer or norm_layer
    return EfficientNet(scaled_stages(width, depth), nil, given)
  end)
end

--- Makes the declared network of the second version.
local function efficientnet_v2(declared)
  local name = declared:match "[%w_]+$"
  efficientnets[name] = network(declared, function(given)
    given.norm_layer = given.norm_layer or v2_norm
    return EfficientNet(v2_stages[name], 1280, given)
  end)
end

--- EfficientNet; b0 to b7 grow deeper and wider, from 5 to 66 million parameters.
---@use vision: dropout = 0.2, stochastic_depth_prob = 0.2, num_classes = 1000, norm_layer = nil
---@example
--- tide.vision.models.efficientnet_b0():get_parameter("classifier.1.weight").shape --> {1000, 1280}
efficientnet("vision.models.efficientnet_b0", 1.0, 1.0, plain_norm)

--- EfficientNet; b0 to b7 grow deeper and wider, from 5 to 66 million parameters.
---@like vision.models.efficientnet_b0
---@example
--- tide.vision.models.efficientnet_b1 ~= nil --> true
efficientnet("vision.models.efficientnet_b1", 1.0, 1.1, plain_norm)

--- EfficientNet; b0 to b7 grow deeper and wider, from 5 to 66 million parameters.
---@use vision: dropout = 0.3, stochastic_depth_prob = 0.2, num_classes = 1000, norm_layer = nil
---@example
--- tide.vision.models.efficientnet_b2 ~= nil --> true
efficientnet("vision.models.efficientnet_b2", 1.1, 1.2, plain_norm)

--- EfficientNet; b0 to b7 grow deeper and wider, from 5 to 66 million parameters.
---@like vision.models.efficientnet_b2
---@example
--- tide.vision.models.efficientnet_b3 ~= nil --> true
efficientnet("vision.models.efficientnet_b3", 1.2, 1.4, plain_norm)

--- EfficientNet; b0 to b7 grow deeper and wider, from 5 to 66 million parameters.
---@use vision: dropout = 0.4, stochastic_depth_prob = 0.2, num_classes = 1000, norm_layer = nil
---@example
--- tide.vision.models.efficientnet_b4 ~= nil --> true
efficientnet("vision.models.efficientnet_b4", 1.4, 1.8, plain_norm)

--- EfficientNet; b0 to b7 grow deeper and wider, from 5 to 66 million parameters.
---@like vision.models.efficientnet_b4
---@example
--- tide.vision.models.efficientnet_b5 ~= nil --> true
efficientnet("vision.models.efficientnet_b5", 1.6, 2.2, slow_norm)

--- EfficientNet; b0 to b7 grow deeper and wider, from 5 to 66 million parameters.
---@use vision: dropout = 0.5, stochastic_depth_prob = 0.2, num_classes = 1000, norm_layer = nil
---@example
--- tide.vision.models.efficientnet_b6 ~= nil --> true
efficientnet("vision.models.efficientnet_b6", 1.8, 2.6, slow_norm)

--- EfficientNet; b0 to b7 grow deeper and wider, from 5 to 66 million parameters.
---@like vision.models.efficientnet_b6
---@example
--- tide.vision.models.efficientnet_b7 ~= nil --> true
efficientnet("vision.models.efficientnet_b7", 2.0, 3.1, slow_norm)

--- EfficientNetV2, in sizes small, medium and large.
---@like vision.models.efficientnet_b0
---@example
--- tide.vision.models.efficientnet_v2_s ~= nil --> true
efficientnet_v2 "vision.models.efficientnet_v2_s"

--- EfficientNetV2, in sizes small, medium and large.
---@like vision.models.efficientnet_b2
---@example
--- tide.vision.models.efficientnet_v2_m ~= nil --> true
efficientnet_v2 "vision.models.efficientnet_v2_m"

--- EfficientNetV2, in sizes small, medium and large.
---@like vision.models.efficientnet_b4
---@example
--- tide.vision.models.efficientnet_v2_l ~= nil --> true
efficientnet_v2 "vision.models.efficientnet_v2_l"

return efficientnets
