-- Dropout layers: in training they zero elements or entire channels with probability p, and scale the others
-- up to keep the mean.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"

local dropouts = {}

--- Makes the class declared as `name`, which calls F[fn].
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

--- In training, zeros elements with probability p and scales the others up.
---@param p number in [0, 1] = 0.5  probability that an element becomes 0
---@use nn: inplace = false
---@formula y = x m / (1 - p), where m is 0 with probability p, else 1; y = x in evaluation mode
---@see nn.Dropout2d F.dropout module:eval tide.manual_seed
---@example
--- nn.Dropout({p = 0.5}):eval()(tide.ones(3)) --> {1.0, 1.0, 1.0}
dropout("nn.Dropout", "dropout")

--- Dropout of entire channels of sequences.
---@use nn: p = 0.5, inplace = false
---@formula y = x m / (1 - p), with one m for each channel; y = x in evaluation mode
---@see nn.Dropout nn.Dropout2d F.dropout2d
---@example
--- nn.Dropout1d()(tide.ones(2, 3, 4)).shape --> {2, 3, 4}
dropout("nn.Dropout1d", "dropout1d")

--- Dropout of entire channels of images.
---@like nn.Dropout1d
---@see nn.Dropout F.dropout2d
---@example
--- nn.Dropout2d()(tide.ones(2, 3, 4, 4)).shape --> {2, 3, 4, 4}
dropout("nn.Dropout2d", "dropout2d")

--- Dropout of entire channels of volumes.
---@like nn.Dropout1d
---@example
--- nn.Dropout3d()(tide.ones(2, 3, 4, 4, 4)).shape --> {2, 3, 4, 4, 4}
dropout("nn.Dropout3d", "dropout3d")

--- Dropout that preserves mean and variance after SELU.
---@like nn.Dropout
---@formula dropped elements become -1.758, then all are scaled and shifted to preserve mean and variance
---@see nn.SELU
---@example
--- nn.AlphaDropout():eval()(tide.ones(3)) --> {1.0, 1.0, 1.0}
dropout("nn.AlphaDropout", "alpha_dropout")

--- AlphaDropout of entire channels.
---@like nn.Dropout1d
---@formula dropped elements become -1.758, then all are scaled and shifted to preserve mean and variance
---@see nn.AlphaDropout nn.SELU
---@example
--- nn.FeatureAlphaDropout():eval()(tide.ones(1, 3)) --> {{1.0, 1.0, 1.0}}
dropout("nn.FeatureAlphaDropout", "feature_alpha_dropout")

return dropouts
