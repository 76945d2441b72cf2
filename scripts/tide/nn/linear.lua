-- nn.Linear: y = x W' + b.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"

--- y = x W' + b.
---@use nn: in_features, out_features, bias = true, device = nil, dtype = nil
---@shapes x (..., in_features) -> (..., out_features); weight (out_features, in_features), bias (out_features)
---@errors the size of the last dimension of x is not in_features
---@see nn.LazyLinear nn.Dense nn.Bilinear F.linear
---@example
--- nn.Linear(3, 2)(tide.ones(4, 3)).shape --> {4, 2}
local Linear, read = define("nn.Linear", Module)
Linear:optional "bias"

function Linear:init(...)
  local given = read(...)
  self:place(given.device, given.dtype)
  self.in_features, self.out_features = given.in_features, given.out_features
  local start = init.fan_in_uniform(given.in_features)
  self:parameter("weight", {given.out_features, given.in_features}, start)
  if given.bias then self:parameter("bias", {given.out_features}, start) end
end

function Linear:forward(x) return F.linear(x, self.weight, self.bias) end

function Linear:describe()
  return ("%s -> %s%s"):format(self.in_features, self.out_features, self.bias and "" or ", no bias")
end

return Linear
