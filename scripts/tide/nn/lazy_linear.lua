-- nn.LazyLinear: a Linear that infers in_features from the first batch.
local define = require "tide.internal.declare.define"
local init = require "tide.nn.init"
local Linear = require "tide.nn.linear"

--- A Linear that infers in_features from the first batch.
---@use nn: out_features, bias = true, device = nil, dtype = nil
---@formula y = x W' + b
---@shapes x (..., in_features) -> (..., out_features); weight (out_features, in_features), bias (out_features)
---@errors the size of the last dimension of x is not in_features
---@see nn.Linear nn.Dense nn.Bilinear F.linear
---@example
--- local layer = nn.LazyLinear(2); layer(tide.ones(4, 3)); layer.weight.shape --> {2, 3}
local LazyLinear, read = define("nn.LazyLinear", Linear)
LazyLinear:optional("in_features", "weight")

function LazyLinear:init(...)
  local given = read(...)
  self:place(given.device, given.dtype)
  self.out_features = given.out_features
  self.with_bias, self.unbuilt = given.bias, true
end

--- Creates the parameters for inputs like `x`, with the device and dtype of `to`, else those of x.
function LazyLinear:build(x)
  local placement = self:placement()
  self:place(placement.device or x.device, placement.dtype or x.dtype)
  self.in_features, self.unbuilt = x:size(-1), false
  local start = init.fan_in_uniform(self.in_features)
  self:parameter("weight", {self.out_features, self.in_features}, start)
  if self.with_bias then self:parameter("bias", {self.out_features}, start) end
end

function LazyLinear:forward(x)
  if self.unbuilt then self:build(x) end
  return Linear.forward(self, x)
end

function LazyLinear:describe()
  if self.unbuilt then return ("? -> %s"):format(self.out_features) end
  return Linear.describe(self)
end

return LazyLinear
