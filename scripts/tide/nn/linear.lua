-- nn.Linear: y = x W' + b.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"

--- y = x W' + b.
---@use nn: in_features, out_features, bias = true, device = nil, dtype = nil
---@formula y = x W' + b
---@shapes x (..., in_features) -> (..., out_features); weight (out_features, in_features), bias (out_features)
---@errors the size of the last dimension of x is not in_features
---@see nn.LazyLinear nn.Dense nn.Bilinear F.linear
---@example
--- nn.Linear(3, 2)(tide.ones(4, 3)).shape --> {4, 2}
local Linear, read = define("nn.Linear", Module)
Linear:optional "bias"

function Linear:init(...)
  local given = read(...)
  self:take(given)
  self:build(given.in_features)
end

--- Sets all options except the input features.
function Linear:take(given)
  self:place(given.device, given.dtype)
  self.out_features, self.with_bias = given.out_features, given.bias
end

--- Creates the parameters for this number of input features.
function Linear:build(in_features)
  self.in_features = in_features
  local start = init.fan_in_uniform(in_features)
  self:parameter("weight", {self.out_features, in_features}, start)
  if self.with_bias then self:parameter("bias", {self.out_features}, start) end
end

function Linear:channels_of(x) return x:size(-1) end

function Linear:forward(x) return F.linear(x, self.weight, self.bias) end

function Linear:describe()
  local note = (self.bias or self.unbuilt) and "" or ", no bias"
  return ("%s -> %s%s"):format(self.in_features or "?", self.out_features, note)
end

return Linear
