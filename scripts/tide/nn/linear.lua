-- nn.Linear: y = x W' + b.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"

local Linear = class("Linear", Module)
Linear:optional "bias"

local read = arguments("Linear", {
  "in_features", "out_features", {"bias", true}, {"device"}, {"dtype"},
}, {in_features = "count", out_features = "count"})

function Linear:init(...)
  local given = read(...)
  self:place(given)
  self.in_features, self.out_features = given.in_features, given.out_features
  local start = init.fan_in_uniform(given.in_features)
  self:parameter("weight", {given.out_features, given.in_features}, start)
  if given.bias then self:parameter("bias", {given.out_features}, start) end
end

function Linear:forward(x) return F.linear(x, self.weight, self.bias) end

function Linear:describe()
  return ("%s -> %s%s"):format(self.in_features, self.out_features, self.bias and "" or ", no bias")
end

return Linear
