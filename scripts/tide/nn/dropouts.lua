-- Dropout layers: in training they zero a share p of the elements, or of whole channels, and scale
-- the others up to keep the mean.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"

local dropouts = {}

--- Makes the class that is declared as `name`, of F[fn].
local function dropout(name, fn)
  local Dropout, read = define(name, Module)

  function Dropout:init(...)
    local given = read(...)
    self.p, self.inplace = given.p, given.inplace
  end

  function Dropout:forward(x) return F[fn](x, self.p, self.training, self.inplace) end

  function Dropout:describe() return ("p = %g"):format(self.p) end

  dropouts[Dropout.name] = Dropout
end

--- In training zeros a share p of the elements and scales the others up.
---@param p number in [0, 1] = 0.5  probability that an element becomes 0
---@use nn: inplace = false
---@formula y = x m / (1 - p), m is 0 with probability p, else 1; y = x in evaluation mode
---@see nn.Dropout2d F.dropout module:eval tide.manual_seed
---@example
--- nn.Dropout({p = 0.5}):eval()(tide.ones(3)) --> {1.0, 1.0, 1.0}
dropout("nn.Dropout", "dropout")

--- The same for whole channels of sequences.
---@use nn: p = 0.5, inplace = false
---@formula y = x m / (1 - p), one m for each channel; y = x in evaluation mode
---@see nn.Dropout nn.Dropout2d F.dropout2d
---@example
--- nn.Dropout1d()(tide.ones(2, 3, 4)).shape --> {2, 3, 4}
dropout("nn.Dropout1d", "dropout1d")

--- The same for whole channels of images.
---@like nn.Dropout1d
---@see nn.Dropout F.dropout2d
---@example
--- nn.Dropout2d()(tide.ones(2, 3, 4, 4)).shape --> {2, 3, 4, 4}
dropout("nn.Dropout2d", "dropout2d")

--- The same for whole channels of volumes.
---@like nn.Dropout1d
---@example
--- nn.Dropout3d()(tide.ones(2, 3, 4, 4, 4)).shape --> {2, 3, 4, 4, 4}
dropout("nn.Dropout3d", "dropout3d")

--- Dropout that keeps mean and variance after SELU.
---@like nn.Dropout
---@formula dropped values become -1.758 and all are scaled, so that mean and variance stay
---@see nn.SELU
---@example
--- nn.AlphaDropout():eval()(tide.ones(3)) --> {1.0, 1.0, 1.0}
dropout("nn.AlphaDropout", "alpha_dropout")

--- The same for whole channels.
---@like nn.Dropout1d
---@formula dropped values become -1.758 and all are scaled, so that mean and variance stay
---@see nn.AlphaDropout nn.SELU
---@example
--- nn.FeatureAlphaDropout():eval()(tide.ones(1, 3)) --> {{1.0, 1.0, 1.0}}
dropout("nn.FeatureAlphaDropout", "feature_alpha_dropout")

return dropouts
