-- nn.Bilinear: y = x1' A x2 + b, with a matrix A for each output feature.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"

--- y = x1' A x2 + b, with a matrix A for each output feature.
---@param in1_features integer >= 0  size of the last dimension of x1
---@param in2_features integer >= 0  size of the last dimension of x2
---@use nn: out_features, bias = true, device = nil, dtype = nil
---@formula y[k] = x1' A[k] x2 + b[k]
---@shapes x1 (..., in1_features), x2 (..., in2_features) -> (..., out_features)
---@see F.bilinear nn.Linear
---@example
--- nn.Bilinear(3, 5, 2)(tide.ones(4, 3), tide.ones(4, 5)).shape --> {4, 2}
local Bilinear, read = define("nn.Bilinear", Module)
Bilinear:optional "bias"

function Bilinear:init(...)
  local given = read(...)
  self:place(given.device, given.dtype)
  self.in1_features, self.in2_features = given.in1_features, given.in2_features
  self.out_features = given.out_features
  local start = init.fan_in_uniform(given.in1_features)
  self:parameter("weight", {given.out_features, given.in1_features, given.in2_features}, start)
  if given.bias then self:parameter("bias", {given.out_features}, start) end
end

function Bilinear:forward(x1, x2) return F.bilinear(x1, x2, self.weight, self.bias) end

function Bilinear:describe()
  return ("%d, %d -> %d"):format(self.in1_features, self.in2_features, self.out_features)
end

return Bilinear
