-- Inception v3 (Szegedy et al., 2015).
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local network = require "tide.vision.models.internal.network"
local nn = require "tide.nn"
local start = require "tide.vision.models.internal.start"
local tide = require "tide"

local parts = require "tide.vision.models.internal.inception_parts"
local BasicConv2d = parts.BasicConv2d

-- Pooling at the beginning of branches.
local pools = {
  average = function(x) return F.avg_pool2d(x, 3, {stride = 1, padding = 1}) end,
  max = function(x) return F.max_pool2d(x, 3, {stride = 2}) end,
}

local Mixed = class("Mixed", nn.Module)

--- `layers`: {name, inputs, outputs, kernel, options}. `branches`: lists of names of layers and pools,
--- applied in sequence; the layers of a nested list are applied in parallel.
function Mixed:init(layers, branches)
  for _, layer in ipairs(layers) do self[layer[1]] = BasicConv2d(table.unpack(layer, 2)) end
  self.branches = branches
end

function Mixed:forward(x)
  local outputs = {}
  for i, branch in ipairs(self.branches) do
    local y = x
    for _, step in ipairs(branch) do
      if type(step) == "table" then
        y = tide.cat({self[step[1]](y), self[step[2]](y)}, 2)
      else
        y = (pools[step] or self[step])(y)
      end
    end
    outputs[i] = y
  end
  return tide.cat(outputs, 2)
end

-- Kernels {height, width} of one row or one column, padded to keep the size.
local function row(width) return {1, width}, {padding = {0, width // 2}} end
local function column(height) return {height, 1}, {padding = {height // 2, 0}} end

local function mixed_a(inputs, pooled)
  return Mixed({
    {"branch1x1", inputs, 64, 1}, {"branch5x5_1", inputs, 48, 1},
    {"branch5x5_2", 48, 64, 5, {padding = 2}}, {"branch3x3dbl_1", inputs, 64, 1},
    {"branch3x3dbl_2", 64, 96, 3, {padding = 1}}, {"branch3x3dbl_3", 96, 96, 3, {padding = 1}},
    {"branch_pool", inputs, pooled, 1},
  }, {{"branch1x1"}, {"branch5x5_1", "branch5x5_2"},
    {"branch3x3dbl_1", "branch3x3dbl_2", "branch3x3dbl_3"}, {"average", "branch_pool"}})
end

local function mixed_b(inputs)
  return Mixed({
    {"branch3x3", inputs, 384, 3, {stride = 2}}, {"branch3x3dbl_1", inputs, 64, 1},
    {"branch3x3dbl_2", 64, 96, 3, {padding = 1}}, {"branch3x3dbl_3", 96, 96, 3, {stride = 2}},
  }, {{"branch3x3"}, {"branch3x3dbl_1", "branch3x3dbl_2", "branch3x3dbl_3"}, {"max"}})
end

local function mixed_c(inputs, inner)
  return Mixed({
    {"branch1x1", inputs, 192, 1}, {"branch7x7_1", inputs, inner, 1},
    {"branch7x7_2", inner, inner, row(7)}, {"branch7x7_3", inner, 192, column(7)},
    {"branch7x7dbl_1", inputs, inner, 1}, {"branch7x7dbl_2", inner, inner, column(7)},
    {"branch7x7dbl_3", inner, inner, row(7)}, {"branch7x7dbl_4", inner, inner, column(7)},
    {"branch7x7dbl_5", inner, 192, row(7)}, {"branch_pool", inputs, 192, 1},
  }, {{"branch1x1"}, {"branch7x7_1", "branch7x7_2", "branch7x7_3"},
    {"branch7x7dbl_1", "branch7x7dbl_2", "branch7x7dbl_3", "branch7x7dbl_4", "branch7x7dbl_5"},
    {"average", "branch_pool"}})
end

local function mixed_d(inputs)
  return Mixed({
    {"branch3x3_1", inputs, 192, 1}, {"branch3x3_2", 192, 320, 3, {stride = 2}},
    {"branch7x7x3_1", inputs, 192, 1}, {"branch7x7x3_2", 192, 192, row(7)},
    {"branch7x7x3_3", 192, 192, column(7)}, {"branch7x7x3_4", 192, 192, 3, {stride = 2}},
  }, {{"branch3x3_1", "branch3x3_2"},
    {"branch7x7x3_1", "branch7x7x3_2", "branch7x7x3_3", "branch7x7x3_4"}, {"max"}})
end

local function mixed_e(inputs)
  return Mixed({
    {"branch1x1", inputs, 320, 1}, {"branch3x3_1", inputs, 384, 1},
    {"branch3x3_2a", 384, 384, row(3)}, {"branch3x3_2b", 384, 384, column(3)},
    {"branch3x3dbl_1", inputs, 448, 1}, {"branch3x3dbl_2", 448, 384, 3, {padding = 1}},
    {"branch3x3dbl_3a", 384, 384, row(3)}, {"branch3x3dbl_3b", 384, 384, column(3)},
    {"branch_pool", inputs, 192, 1},
  }, {{"branch1x1"}, {"branch3x3_1", {"branch3x3_2a", "branch3x3_2b"}},
    {"branch3x3dbl_1", "branch3x3dbl_2", {"branch3x3dbl_3a", "branch3x3dbl_3b"}},
    {"average", "branch_pool"}})
end

local InceptionAux = class("InceptionAux", nn.Module)

function InceptionAux:init(inputs, num_classes)
  self.conv0 = BasicConv2d(inputs, 128, 1)
  self.conv1 = BasicConv2d(128, 768, 5)
  self.fc = nn.Linear(768, num_classes)
end

function InceptionAux:forward(x)
  x = self.conv1(self.conv0(F.avg_pool2d(x, 5, {stride = 3})))
  return self.fc(F.adaptive_avg_pool2d(x, 1):flatten(2))
end

local Inception3 = class("Inception3", nn.Module)
Inception3:optional "AuxLogits"

function Inception3:init(given)
  self.transform_input = given.transform_input
  self.Conv2d_1a_3x3 = BasicConv2d(3, 32, 3, {stride = 2})
  self.Conv2d_2a_3x3 = BasicConv2d(32, 32, 3)
  self.Conv2d_2b_3x3 = BasicConv2d(32, 64, 3, {padding = 1})
  self.maxpool1 = nn.MaxPool2d(3, 2)
  self.Conv2d_3b_1x1 = BasicConv2d(64, 80, 1)
  self.Conv2d_4a_3x3 = BasicConv2d(80, 192, 3)
  self.maxpool2 = nn.MaxPool2d(3, 2)
  self.Mixed_5b = mixed_a(192, 32)
  self.Mixed_5c = mixed_a(256, 64)
  self.Mixed_5d = mixed_a(288, 64)
  self.Mixed_6a = mixed_b(288)
  self.Mixed_6b = mixed_c(768, 128)
  self.Mixed_6c = mixed_c(768, 160)
  self.Mixed_6d = mixed_c(768, 160)
  self.Mixed_6e = mixed_c(768, 192)
  if given.aux_logits then self.AuxLogits = InceptionAux(768, given.num_classes) end
  self.Mixed_7a = mixed_d(768)
  self.Mixed_7b = mixed_e(1280)
  self.Mixed_7c = mixed_e(2048)
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.dropout = nn.Dropout(given.dropout)
  self.fc = nn.Linear(2048, given.num_classes)
  if given.init_weights then
    local function fill(layer) init.trunc_normal_(layer.weight, {std = 0.1}) end
    start.layers(self, {Conv2d = fill, Linear = fill})
    if self.AuxLogits then init.trunc_normal_(self.AuxLogits.fc.weight, {std = 0.001}) end
  end
end

--- In training with aux_logits, also returns the logits of the auxiliary classifier.
function Inception3:forward(x)
  if self.transform_input then x = parts.transformed(x) end
  x = self.maxpool1(self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x))))
  x = self.maxpool2(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(x)))
  x = self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(x)))
  x = self.Mixed_6e(self.Mixed_6d(self.Mixed_6c(self.Mixed_6b(self.Mixed_6a(x)))))
  local aux = self.training and self.AuxLogits and self.AuxLogits(x)
  x = self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(x)))
  x = self.fc(self.dropout(self.avgpool(x)):flatten(2))
  if aux then return x, aux end
  return x
end

--- Inception v3 for images of 299 x 299; in training with aux_logits (the default), also returns the logits of an
--- auxiliary classifier.
---@use vision: num_classes = 1000, aux_logits = true, transform_input = false, init_weights = true, dropout = 0.5
---@example
--- tide.vision.models.inception_v3 ~= nil --> true
local inception_v3 = network("vision.models.inception_v3", Inception3)

return {inception_v3 = inception_v3}
