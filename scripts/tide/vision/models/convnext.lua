-- ConvNeXt (Liu et al., 2022).
local class = require "tide.internal.class"
local family = require "tide.vision.models.internal.family"
local init = require "tide.nn.init"
local nn = require "tide.nn"
local ops = require "tide.vision.ops"
local start = require "tide.vision.models.internal.start"

--- Layer normalization over the channels of each pixel.
local LayerNorm2d = class("LayerNorm2d", nn.LayerNorm)

function LayerNorm2d:forward(x)
  return nn.LayerNorm.forward(self, x:permute(1, 3, 4, 2)):permute(1, 4, 2, 3)
end

local CNBlock = class("CNBlock", nn.Module)

function CNBlock:init(channels, layer_scale, probability)
  self.block = nn.Sequential(
    nn.Conv2d(channels, channels, 7, {padding = 3, groups = channels}), ops.Permute {1, 3, 4, 2},
    nn.LayerNorm(channels, {eps = 1e-6}), nn.Linear(channels, 4 * channels), nn.GELU(),
    nn.Linear(4 * channels, channels), ops.Permute {1, 4, 2, 3})
  self:parameter("layer_scale", {channels, 1, 1}, function(scale)
    init.constant_(scale, layer_scale)
  end)
  self.stochastic_depth = ops.StochasticDepth(probability, "row")
end

function CNBlock:forward(x)
  return self.stochastic_depth(self.layer_scale * self.block(x)) + x
end

local ConvNeXt = class("ConvNeXt", nn.Module)

--- The four stages have `widths` channels and `blocks` blocks.
function ConvNeXt:init(widths, blocks, given)
  local norm_layer, total, id = given.norm_layer, 0, 0
  for _, count in ipairs(blocks) do total = total + count end
  self.features = nn.Sequential(ops.Conv2dNormActivation(3, widths[1], 4, {
    stride = 4, padding = 0, norm_layer = norm_layer, activation_layer = false, bias = true,
  }))
  for i, width in ipairs(widths) do
    local stage = nn.Sequential()
    for _ = 1, blocks[i] do
      stage:add(CNBlock(width, given.layer_scale, given.stochastic_depth_prob * id / (total - 1)))
      id = id + 1
    end
    self.features:add(stage)
    if widths[i + 1] then
      self.features:add(nn.Sequential(norm_layer(width), nn.Conv2d(width, widths[i + 1], 2, {stride = 2})))
    end
  end
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  local last = widths[#widths]
  self.classifier = nn.Sequential(norm_layer(last), nn.Flatten(), nn.Linear(last, given.num_classes))
  local fill = start.with(init.trunc_normal_, {std = 0.02})
  start.layers(self, {Conv2d = fill, Linear = fill})
end

function ConvNeXt:forward(x) return self.classifier(self.avgpool(self.features(x))) end

local function usual_norm(channels) return LayerNorm2d(channels, {eps = 1e-6}) end

local convnexts, convnext = family(ConvNeXt, usual_norm)

--- ConvNeXt; tiny, small, base and large have 29, 50, 89 and 198 million parameters.
---@use vision: stochastic_depth_prob = 0.1, layer_scale = 1e-6, num_classes = 1000, norm_layer = nil
---@example
--- tide.vision.models.convnext_tiny ~= nil --> true
convnext("vision.models.convnext_tiny", {96, 192, 384, 768}, {3, 3, 9, 3})

--- ConvNeXt; tiny, small, base and large have 29, 50, 89 and 198 million parameters.
---@use vision: stochastic_depth_prob = 0.4, layer_scale = 1e-6, num_classes = 1000, norm_layer = nil
---@example
--- tide.vision.models.convnext_small ~= nil --> true
convnext("vision.models.convnext_small", {96, 192, 384, 768}, {3, 3, 27, 3})

--- ConvNeXt; tiny, small, base and large have 29, 50, 89 and 198 million parameters.
---@use vision: stochastic_depth_prob = 0.5, layer_scale = 1e-6, num_classes = 1000, norm_layer = nil
---@example
--- tide.vision.models.convnext_base ~= nil --> true
convnext("vision.models.convnext_base", {128, 256, 512, 1024}, {3, 3, 27, 3})

--- ConvNeXt; tiny, small, base and large have 29, 50, 89 and 198 million parameters.
---@like vision.models.convnext_base
---@example
--- tide.vision.models.convnext_large ~= nil --> true
convnext("vision.models.convnext_large", {192, 384, 768, 1536}, {3, 3, 27, 3})

return convnexts
