-- Stochastic depth (Huang et al., 2016): in training a branch is left out now and then.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"

local stochastic = {}

local function check(p, mode)
  if not (p >= 0 and p <= 1) then
    raise("stochastic_depth: p must be a share between 0 and 1, got %g", p)
  end
  if mode ~= "batch" and mode ~= "row" then
    raise("stochastic_depth: mode must be batch or row, got %s", mode)
  end
end

local read = arguments("stochastic_depth", {"input", "p", "mode", {"training", true}},
  {input = "tensor", p = "number", mode = "string", training = "boolean"})

--- In training zeros each row (mode "row") or the whole input (mode "batch") with probability p, and
--- scales what is left up to keep the mean.
function stochastic.stochastic_depth(...)
  local given = read(...)
  local input, p = given.input, given.p
  check(p, given.mode)
  if not given.training or p == 0 then return input end
  local size = {given.mode == "row" and input:size(1) or 1}
  for d = 2, input:dim() do size[d] = 1 end
  local kept = input:detach():new_zeros(size):bernoulli_(1 - p)
  return input * (p < 1 and kept / (1 - p) or kept)
end

local StochasticDepth = class("StochasticDepth", Module)

local read_init = arguments("StochasticDepth", {"p", "mode"}, {p = "number", mode = "string"})

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
