-- GoogLeNet (Szegedy et al., 2014), with batch normalization.
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local network = require "tide.vision.models.internal.network"
local nn = require "tide.nn"
local start = require "tide.vision.models.internal.start"
local tide = require "tide"

local parts = require "tide.vision.models.internal.inception_parts"
local BasicConv2d = parts.BasicConv2d

local Inception = class("Inception", nn.Module)

--- Channels of the branches: ones for 1 x 1; threes and fives, each with its reduction before it; and pooled.
function Inception:init(inputs, ones, before_threes, threes, before_fives, fives, pooled)
  self.branch1 = BasicConv2d(inputs, ones, 1)
  self.branch2 = nn.Sequential(BasicConv2d(inputs, before_threes, 1),
    BasicConv2d(before_threes, threes, 3, {padding = 1}))
  -- torchvision's weights are 3 x 3, not 5 x 5.
  self.branch3 = nn.Sequential(BasicConv2d(inputs, before_fives, 1),
    BasicConv2d(before_fives, fives, 3, {padding = 1}))
  self.branch4 = nn.Sequential(nn.MaxPool2d(3, {stride = 1, padding = 1, ceil_mode = true}),
    BasicConv2d(inputs, pooled, 1))
end

function Inception:forward(x)
  return tide.cat({self.branch1(x), self.branch2(x), self.branch3(x), self.branch4(x)}, 2)
end

local InceptionAux = class("InceptionAux", nn.Module)

function InceptionAux:init(inputs, num_classes, dropout)
  self.conv = BasicConv2d(inputs, 128, 1)
  self.fc1 = nn.Linear(2048, 1024)
  self.fc2 = nn.Linear(1024, num_classes)
  self.dropout = nn.Dropout(dropout)
end

function InceptionAux:forward(x)
  x = self.conv(F.adaptive_avg_pool2d(x, 4)):flatten(2)
  return self.fc2(self.dropout(self.fc1(x):relu()))
end

local GoogLeNet = class("GoogLeNet", nn.Module)
GoogLeNet:optional("aux1", "aux2")

function GoogLeNet:init(given)
  local function pool(size) return nn.MaxPool2d(size, {stride = 2, ceil_mode = true}) end
  self.transform_input = given.transform_input
  self.conv1 = BasicConv2d(3, 64, 7, {stride = 2, padding = 3})
  self.maxpool1 = pool(3)
  self.conv2 = BasicConv2d(64, 64, 1)
  self.conv3 = BasicConv2d(64, 192, 3, {padding = 1})
  self.maxpool2 = pool(3)
  self.inception3a = Inception(192, 64, 96, 128, 16, 32, 32)
  self.inception3b = Inception(256, 128, 128, 192, 32, 96, 64)
  self.maxpool3 = pool(3)
  self.inception4a = Inception(480, 192, 96, 208, 16, 48, 64)
  self.inception4b = Inception(512, 160, 112, 224, 24, 64, 64)
  self.inception4c = Inception(512, 128, 128, 256, 24, 64, 64)
  self.inception4d = Inception(512, 112, 144, 288, 32, 64, 64)
  self.inception4e = Inception(528, 256, 160, 320, 32, 128, 128)
  self.maxpool4 = pool(2)
  self.inception5a = Inception(832, 256, 160, 320, 32, 128, 128)
  self.inception5b = Inception(832, 384, 192, 384, 48, 128, 128)
  if given.aux_logits then
    self.aux1 = InceptionAux(512, given.num_classes, given.dropout_aux)
    self.aux2 = InceptionAux(528, given.num_classes, given.dropout_aux)
  end
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.dropout = nn.Dropout(given.dropout)
  self.fc = nn.Linear(1024, given.num_classes)
  if given.init_weights then
    local function fill(layer) init.trunc_normal_(layer.weight, {std = 0.01}) end
    start.layers(self, {Conv2d = fill, Linear = fill})
  end
end

--- In training with aux_logits, also returns the logits of the second and the first auxiliary classifier.
function GoogLeNet:forward(x)
  if self.transform_input then x = parts.transformed(x) end
  local aux1, aux2
  x = self.maxpool2(self.conv3(self.conv2(self.maxpool1(self.conv1(x)))))
  x = self.inception4a(self.maxpool3(self.inception3b(self.inception3a(x))))
  if self.training and self.aux1 then aux1 = self.aux1(x) end
  x = self.inception4d(self.inception4c(self.inception4b(x)))
  if self.training and self.aux2 then aux2 = self.aux2(x) end
  x = self.inception5b(self.inception5a(self.maxpool4(self.inception4e(x))))
  x = self.fc(self.dropout(self.avgpool(x):flatten(2)))
  if aux2 then return x, aux2, aux1 end
  return x
end

--- GoogLeNet; in training with aux_logits (the default), also returns the logits of two auxiliary classifiers.
---@use vision: num_classes = 1000, aux_logits = true, transform_input = false, init_weights = true, dropout = 0.2
---@param dropout_aux number = 0.7  dropout probability of the auxiliary classifiers
---@example
--- tide.vision.models.googlenet ~= nil --> true
local googlenet = network("vision.models.googlenet", GoogLeNet)

return {googlenet = googlenet}
