-- Fuses a batch norm in evaluation mode into the weights of the layer before it.
local checked = require "tide.internal.declare.checked"
local Parameter = require "tide.nn.parameter"
local raise = require "tide.internal.raise"
local tide = require "tide"

local fusion = {}

--- A copy of the layer that computes norm(layer(x)). `dim` is the dimension of the weight's output channels.
local function fused(name, layer, norm, dim)
  if layer.training or norm.training then
    raise("%s: both modules must be in evaluation mode: call eval() first", name)
  end
  if not norm.running_mean then raise("%s: the norm has no running statistics", name) end
  local _ <close> = tide.no_grad()
  local copy = layer:clone()
  local scale = (norm.running_var + norm.eps):rsqrt()
  if norm.weight then scale = scale * norm.weight end
  local shift = norm.bias or tide.zeros_like(norm.running_mean)
  local shape = {}
  for d = 1, copy.weight:dim() do shape[d] = d == dim and -1 or 1 end
  local bias = copy.bias or tide.zeros_like(norm.running_mean)
  copy.weight = Parameter(copy.weight * scale:view(shape))
  copy.bias = Parameter((bias - norm.running_mean) * scale + shift)
  return copy
end

--- Fuses a convolution and the batch norm after it into one convolution, for evaluation.
---@param conv module  the convolution
---@use nn: bn
---@param transpose boolean = false  whether conv is a transposed convolution
---@example
--- local conv, bn = nn.Conv2d(1, 2, 1):eval(), nn.BatchNorm2d(2):eval()
--- local x = tide.rand(1, 1, 2, 2)
--- nn.utils.fuse_conv_bn_eval(conv, bn)(x):allclose(bn(conv(x)), 1e-4, 1e-6) --> true
fusion.fuse_conv_bn_eval = checked("nn.utils.fuse_conv_bn_eval", function(conv, bn, transpose)
    if transpose and conv.groups > 1 then
      raise("fuse_conv_bn_eval: transposed convolutions with groups are not supported, got %d groups",
        conv.groups)
    end
    return fused("fuse_conv_bn_eval", conv, bn, transpose and 2 or 1)
  end)

--- Fuses a linear layer and the batch norm after it into one linear layer, for evaluation.
---@param linear module  the linear layer
---@use nn: bn
---@example
--- local linear, bn = nn.Linear(3, 2):eval(), nn.BatchNorm1d(2):eval()
--- local x = tide.rand(1, 3)
--- nn.utils.fuse_linear_bn_eval(linear, bn)(x):allclose(bn(linear(x)), 1e-4, 1e-6) --> true
fusion.fuse_linear_bn_eval = checked("nn.utils.fuse_linear_bn_eval",
  function(linear, bn) return fused("fuse_linear_bn_eval", linear, bn, 1) end)

return fusion
