-- nn.LazyLinear: a Linear that learns its number of inputs from the first batch it sees.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local init = require "tide.nn.init"
local Linear = require "tide.nn.linear"

local LazyLinear = class("LazyLinear", Linear)
LazyLinear:optional("in_features", "weight")

local read = arguments("LazyLinear", {"out_features", {"bias", true}, {"device"}, {"dtype"}},
  {out_features = "count"})

function LazyLinear:init(...)
  local given = read(...)
  self:place(given)
  self.out_features = given.out_features
  self.with_bias, self.unbuilt = given.bias, true
end

--- Makes the parameters for inputs like `x`: where `to` said, else where x lies.
function LazyLinear:build(x)
  local place = self:placement()
  self:place({device = place.device or x.device, dtype = place.dtype or x.dtype})
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
