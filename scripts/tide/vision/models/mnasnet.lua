-- MNASNet (Tan et al., 2018).
local class = require "tide.internal.class"
local divisible = require("tide.vision.models.internal.channels").divisible
local family = require "tide.vision.models.internal.family"
local init = require "tide.nn.init"
local nn = require "tide.nn"
local start = require "tide.vision.models.internal.start"

local function norm(channels) return nn.BatchNorm2d(channels, {momentum = 1 - 0.9997}) end

--- Adds a convolution with padding that keeps the image size (for stride 1), and a batch norm.
local function add_conv(list, inputs, outputs, size, options)
  options.padding, options.bias = size // 2, false
  list:add(nn.Conv2d(inputs, outputs, size, options), norm(outputs))
end

local function add_relu(list) list:add(nn.ReLU({inplace = true})) end

local InvertedResidual = class("InvertedResidual", nn.Module)

function InvertedResidual:init(inputs, outputs, size, stride, factor)
  local hidden = inputs * factor
  self.apply_residual = inputs == outputs and stride == 1
  self.layers = nn.Sequential()
  add_conv(self.layers, inputs, hidden, 1, {})
  add_relu(self.layers)
  add_conv(self.layers, hidden, hidden, size, {stride = stride, groups = hidden})
  add_relu(self.layers)
  add_conv(self.layers, hidden, outputs, 1, {})
end

function InvertedResidual:forward(x)
  local y = self.layers(x)
  return self.apply_residual and y + x or y
end

local MNASNet = class("MNASNet", nn.Module)

-- Rows {channels, kernel, stride, factor, blocks}.
local rows <const> = {
  {24, 3, 2, 3, 3}, {40, 5, 2, 3, 3}, {80, 5, 2, 6, 3}, {96, 3, 1, 6, 2}, {192, 5, 2, 6, 4},
  {320, 3, 1, 6, 1},
}

function MNASNet:init(alpha, given)
  local first, inputs = divisible(32 * alpha, 8), divisible(16 * alpha, 8)
  self.layers = nn.Sequential()
  add_conv(self.layers, 3, first, 3, {stride = 2})
  add_relu(self.layers)
  add_conv(self.layers, first, first, 3, {groups = first})
  add_relu(self.layers)
  add_conv(self.layers, first, inputs, 1, {})
  for _, row in ipairs(rows) do
    local outputs, stack = divisible(row[1] * alpha, 8), nn.Sequential()
    for i = 1, row[5] do
      stack:add(InvertedResidual(inputs, outputs, row[2], i == 1 and row[3] or 1, row[4]))
      inputs = outputs
    end
    self.layers:add(stack)
  end
  add_conv(self.layers, inputs, 1280, 1, {})
  add_relu(self.layers)
  self.classifier = nn.Sequential(nn.Dropout(given.dropout, true), nn.Linear(1280, given.num_classes))
  start.layers(self, {
    Conv2d = start.fan_out,
    Linear = start.with(init.kaiming_uniform_, {mode = "fan_out", nonlinearity = "sigmoid"}),
  })
end

function MNASNet:forward(x) return self.classifier(self.layers(x):mean({3, 4})) end

local mnasnets, mnasnet = family(MNASNet)

--- MNASNet with the given width multiplier, 2.2 to 6.3 million parameters.
---@use vision: num_classes = 1000, dropout = 0.2
---@example
--- tide.vision.models.mnasnet0_5():get_parameter("classifier.1.weight").shape --> {1000, 1280}
mnasnet("vision.models.mnasnet0_5", 0.5)

--- MNASNet with the given width multiplier, 2.2 to 6.3 million parameters.
---@like vision.models.mnasnet0_5
---@example
--- tide.vision.models.mnasnet0_75 ~= nil --> true
mnasnet("vision.models.mnasnet0_75", 0.75)

--- MNASNet with the given width multiplier, 2.2 to 6.3 million parameters.
---@like vision.models.mnasnet0_5
---@example
--- tide.vision.models.mnasnet1_0 ~= nil --> true
mnasnet("vision.models.mnasnet1_0", 1.0)

--- MNASNet with the given width multiplier, 2.2 to 6.3 million parameters.
---@like vision.models.mnasnet0_5
---@example
--- tide.vision.models.mnasnet1_3 ~= nil --> true
mnasnet("vision.models.mnasnet1_3", 1.3)

return mnasnets
