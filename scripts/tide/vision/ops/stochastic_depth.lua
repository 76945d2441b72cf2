-- Stochastic depth (Huang et al., 2016): randomly skips a branch in training.
local checked = require "tide.internal.declare.checked"
local define = require "tide.internal.declare.define"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"

local stochastic = {}

local function check(p, mode)
  if not (p >= 0 and p <= 1) then
    raise("stochastic_depth: p must be between 0 and 1, got %g", p)
  end
  if mode ~= "batch" and mode ~= "row" then
    raise("stochastic_depth: mode must be batch or row, got %s", mode)
  end
end

--- In training, zeros rows ("row") or the entire batch ("batch") with probability p, and scales up the others.
---@param input tensor  the tensor
---@param p number  probability of setting a row or the batch to zero
---@param mode "batch" | "row"  zero the entire batch, or each sample independently
---@param training boolean = true  false returns the input unchanged
---@example
--- tide.vision.ops.stochastic_depth(tide.ones(2, 2), 1, "batch") --> {{0.0, 0.0}, {0.0, 0.0}}
stochastic.stochastic_depth = checked("vision.ops.stochastic_depth", function(input, p, mode, training)
  -- In training, zeroes each row (mode "row") or the entire input (mode "batch") with probability p, and
  -- scales up the remaining values to keep the mean.
  check(p, mode)
  if not training or p == 0 then return input end
  local size = {mode == "row" and input:size(1) or 1}
  for d = 2, input:dim() do size[d] = 1 end
  local kept = input:detach():new_zeros(size):bernoulli_(1 - p)
  return input * (p < 1 and kept / (1 - p) or kept)
end)

--- stochastic_depth as a module.
---@param p number  probability of setting a row or the batch to zero
---@param mode "batch" | "row"  zero the entire batch, or each sample independently
---@example
--- tide.vision.ops.StochasticDepth(0.5, "row"):eval()(tide.ones(2)) --> {1.0, 1.0}
local StochasticDepth, read_init = define("vision.ops.StochasticDepth", Module)

function StochasticDepth:init(...)
  local given = read_init(...)
  check(given.p, given.mode)
  self.p, self.mode = given.p, given.mode
end

function StochasticDepth:forward(x)
  return stochastic.stochastic_depth(x, self.p, self.mode, self.training)
end

function StochasticDepth:describe() return ("p = %g, %s"):format(self.p, self.mode) end

stochastic.StochasticDepth = StochasticDepth

return stochastic
