-- Dropout layers: in training they zero a share p of the elements, or of whole channels, and scale
-- the others up to keep the mean.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"

local dropouts = {}

for name, fn in pairs {
  AlphaDropout = "alpha_dropout", Dropout = "dropout", Dropout1d = "dropout1d",
  Dropout2d = "dropout2d", Dropout3d = "dropout3d", FeatureAlphaDropout = "feature_alpha_dropout",
} do
  local Dropout = class(name, Module)
  local read = arguments(name, {{"p", 0.5}, {"inplace", false}}, {p = "number", inplace = "boolean"})

  function Dropout:init(...)
    local given = read(...)
    self.p, self.inplace = given.p, given.inplace
    if not (self.p >= 0 and self.p <= 1) then
      raise("%s: p must be a share between 0 and 1, got %g", name, self.p)
    end
  end

  function Dropout:forward(x) return F[fn](x, self.p, self.training, self.inplace) end

  function Dropout:describe() return ("p = %g"):format(self.p) end

  dropouts[name] = Dropout
end

return dropouts
