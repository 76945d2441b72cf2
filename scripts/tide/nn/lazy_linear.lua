-- nn.LazyLinear: a Linear that infers in_features from the first batch.
local lazy_layer = require "tide.nn.internal.lazy_layer"
local Linear = require "tide.nn.linear"

--- A Linear that infers in_features from the first batch.
---@like nn.Linear without in_features in nn/linear.lua
---@see nn.Linear nn.Dense nn.Bilinear F.linear
---@example
--- local layer = nn.LazyLinear(2); layer(tide.ones(4, 3)); layer.weight.shape --> {2, 3}
local LazyLinear = lazy_layer("nn.LazyLinear", Linear)
LazyLinear:optional("in_features", "weight")

return LazyLinear
