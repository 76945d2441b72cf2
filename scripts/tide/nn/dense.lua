-- nn.Dense: Gluon's name for a lazy linear layer with an activation.
local activation_named = require "tide.nn.internal.activation_named"
local define = require "tide.internal.declare.define"
local LazyLinear = require "tide.nn.lazy_linear"
local raise = require "tide.internal.raise"

--- Gluon's lazy linear layer with an activation.
---@param units integer  size of the last dimension of the result
---@param activation string | function = nil  applied to the result: a function or its name in F, such as "relu"
---@param use_bias boolean = true  add a trained bias
---@param flatten boolean = true  first flatten all dimensions of x except the first
---@formula y = activation(x W' + b)
---@shapes x (n, ...) -> (n, units); with flatten = false (..., features) -> (..., units)
---@see nn.Linear nn.LazyLinear
---@example
--- nn.Dense(2, {activation = "relu"})(tide.ones(4, 3)).shape --> {4, 2}
local Dense, read = define("nn.Dense", LazyLinear)

function Dense:init(...)
  local given = read(...)
  LazyLinear.init(self, given.units, given.use_bias)
  self.activation = activation_named(given.activation)
  if given.activation and not self.activation then
    raise("Dense: unknown activation %s: expected a function of tide.nn.functional", given.activation)
  end
  self.flatten = given.flatten
end

function Dense:forward(x)
  local y = LazyLinear.forward(self, self.flatten and x:dim() > 2 and x:flatten(2) or x)
  return self.activation and self.activation(y) or y
end

return Dense
