-- nn.Dense: Gluon's name for a lazy linear layer with an activation.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local LazyLinear = require "tide.nn.lazy_linear"
local raise = require "tide.internal.raise"

local Dense = class("Dense", LazyLinear)

local read = arguments("Dense", {"units", {"activation"}, {"use_bias", true}, {"flatten", true}})

function Dense:init(...)
  local given = read(...)
  LazyLinear.init(self, given.units, given.use_bias)
  if given.activation and not rawget(F, given.activation) then
    raise("Dense: unknown activation %s: any function of tide.nn.functional", given.activation)
  end
  self.activation = given.activation and F[given.activation]
  self.flatten = given.flatten
end

function Dense:forward(x)
  local y = LazyLinear.forward(self, self.flatten and x:dim() > 2 and x:flatten(2) or x)
  return self.activation and self.activation(y) or y
end

return Dense
