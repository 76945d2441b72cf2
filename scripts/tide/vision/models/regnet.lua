-- RegNet (Radosavovic et al., 2020): block widths grow linearly, quantized to powers.
local class = require "tide.internal.class"
local divisible = require("tide.vision.models.internal.channels").divisible
local init = require "tide.nn.init"
local network = require "tide.vision.models.internal.network"
local nn = require "tide.nn"
local ops = require "tide.vision.ops"
local start = require "tide.vision.models.internal.start"

--- Rounds to the nearest integer, half to even, which the widths of networks depend on.
local function rounded(x)
  local low = math.floor(x)
  local fraction = x - low
  return fraction > 0.5 and low + 1 or fraction == 0.5 and low + low % 2 or low
end

--- The stages {width, blocks, group width} from the parameters of a network.
local function make_stages(depth, first, slope, base, group)
  local stages = {}
  for i = 0, depth - 1 do
    local power = rounded(math.log((i * slope + first) / first) / math.log(base))
    local width = 8 * rounded(first * base ^ power / 8)
    local last = stages[#stages]
    if last and last.width == width then
      last.blocks = last.blocks + 1
    else
      stages[#stages + 1] = {width = width, blocks = 1}
    end
  end
  for _, stage in ipairs(stages) do
    stage.group = math.min(group, stage.width)
    stage.width = divisible(stage.width, stage.group)
  end
  return stages
end

local ResBottleneckBlock = class("ResBottleneckBlock", nn.Module)
ResBottleneckBlock:optional "proj"

function ResBottleneckBlock:init(inputs, stage, stride, se_ratio, given)
  local outputs = stage.width
  local function layers(from, size, options)
    options.norm_layer = given.norm_layer
    if options.activation_layer == nil then options.activation_layer = given.activation end
    return ops.Conv2dNormActivation(from, outputs, size, options)
  end
  if inputs ~= outputs or stride ~= 1 then
    self.proj = layers(inputs, 1, {stride = stride, activation_layer = false})
  end
  self.f = nn.Sequential({"a", layers(inputs, 1, {})},
    {"b", layers(outputs, 3, {stride = stride, groups = outputs // stage.group})})
  if se_ratio then
    self.f:add {"se", ops.SqueezeExcitation(outputs, rounded(se_ratio * inputs),
      {activation = given.activation})}
  end
  self.f:add {"c", layers(outputs, 1, {activation_layer = false})}
  self.activation = given.activation({inplace = true})
end

function ResBottleneckBlock:forward(x)
  return self.activation((self.proj and self.proj(x) or x) + self.f(x))
end

local RegNet = class("RegNet", nn.Module)

function RegNet:init(stages, se_ratio, given)
  local inputs = given.stem_width
  self.stem = ops.Conv2dNormActivation(3, inputs, 3,
    {stride = 2, norm_layer = given.norm_layer, activation_layer = given.activation})
  self.trunk_output = nn.Sequential()
  for i, stage in ipairs(stages) do
    local list = nn.Sequential()
    for j = 1, stage.blocks do
      local block = ResBottleneckBlock(inputs, stage, j == 1 and 2 or 1, se_ratio, given)
      list:add {("block%d-%d"):format(i, j - 1), block}
      inputs = stage.width
    end
    self.trunk_output:add {"block" .. i, list}
  end
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.fc = nn.Linear(inputs, given.num_classes)
  start.layers(self, {
    Conv2d = function(conv)
      local fan_out = conv.kernel_size[1] * conv.kernel_size[2] * conv.out_channels
      init.normal_(conv.weight, 0, math.sqrt(2 / fan_out))
    end,
    Linear = start.normal(0.01),
  })
end

function RegNet:forward(x)
  return self.fc(self.avgpool(self.trunk_output(self.stem(x))):flatten(2))
end

local regnets = {}

--- Makes the declared network from depth, first width, slope, base, and group width; y networks have
--- squeeze-and-excitation.
local function regnet(declared, ...)
  local name, row = declared:match "[%w_]+$", {...}
  local se_ratio = name:find "_y_" and 0.25 or nil
  regnets[name] = network(declared, function(given)
    return RegNet(make_stages(table.unpack(row)), se_ratio, given)
  end)
end

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@use vision: num_classes = 1000, stem_width = 32, norm_layer = nn.BatchNorm2d, activation = nn.ReLU
---@example
--- tide.vision.models.regnet_y_400mf ~= nil --> true
regnet("vision.models.regnet_y_400mf", 16, 48, 27.89, 2.09, 8)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_y_800mf ~= nil --> true
regnet("vision.models.regnet_y_800mf", 14, 56, 38.84, 2.4, 16)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_y_1_6gf ~= nil --> true
regnet("vision.models.regnet_y_1_6gf", 27, 48, 20.71, 2.65, 24)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_y_3_2gf ~= nil --> true
regnet("vision.models.regnet_y_3_2gf", 21, 80, 42.63, 2.66, 24)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_y_8gf ~= nil --> true
regnet("vision.models.regnet_y_8gf", 17, 192, 76.82, 2.19, 56)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_y_16gf ~= nil --> true
regnet("vision.models.regnet_y_16gf", 18, 200, 106.23, 2.48, 112)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_y_32gf ~= nil --> true
regnet("vision.models.regnet_y_32gf", 20, 232, 115.89, 2.53, 232)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_y_128gf ~= nil --> true
regnet("vision.models.regnet_y_128gf", 27, 456, 160.83, 2.52, 264)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_x_400mf():get_parameter("fc.weight").shape --> {1000, 400}
regnet("vision.models.regnet_x_400mf", 22, 24, 24.48, 2.54, 16)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_x_800mf ~= nil --> true
regnet("vision.models.regnet_x_800mf", 16, 56, 35.73, 2.28, 16)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_x_1_6gf ~= nil --> true
regnet("vision.models.regnet_x_1_6gf", 18, 80, 34.01, 2.25, 24)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_x_3_2gf ~= nil --> true
regnet("vision.models.regnet_x_3_2gf", 25, 88, 26.31, 2.25, 48)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_x_8gf ~= nil --> true
regnet("vision.models.regnet_x_8gf", 23, 80, 49.56, 2.88, 120)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_x_16gf ~= nil --> true
regnet("vision.models.regnet_x_16gf", 22, 216, 55.59, 2.1, 128)

--- RegNet, named by its FLOPs per image; y has squeeze-and-excitation, x does not.
---@like vision.models.regnet_y_400mf
---@example
--- tide.vision.models.regnet_x_32gf ~= nil --> true
regnet("vision.models.regnet_x_32gf", 23, 320, 69.86, 2.0, 168)

return regnets
