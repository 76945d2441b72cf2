-- nn.Bilinear: y = x1' A x2 + b, with one matrix A for each output.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"

local Bilinear = class("Bilinear", Module)
Bilinear:optional "bias"

local read = arguments("Bilinear", {
  "in1_features", "in2_features", "out_features", {"bias", true}, {"device"}, {"dtype"},
}, {in1_features = "count", in2_features = "count", out_features = "count"})

function Bilinear:init(...)
  local given = read(...)
  self:place(given)
  self.in1_features, self.in2_features = given.in1_features, given.in2_features
  self.out_features = given.out_features
  local start = init.fan_in_uniform(given.in1_features)
  self:parameter("weight", {given.out_features, given.in1_features, given.in2_features}, start)
  if given.bias then self:parameter("bias", {given.out_features}, start) end
end

function Bilinear:forward(x1, x2) return F.bilinear(x1, x2, self.weight, self.bias) end

function Bilinear:describe()
  return ("%d, %d -> %d"):format(self.in1_features, self.in2_features, self.out_features)
end

return Bilinear
