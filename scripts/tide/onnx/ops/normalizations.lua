-- Normalizations.
local F = require "tide.nn.functional"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {state = {BatchNormalization = {4, 5}}, with_run = {}}

ops.attributes = {
  BatchNormalization = "epsilon momentum spatial=1 training_mode",
  GroupNormalization = "epsilon num_groups stash_type",
  InstanceNormalization = "epsilon",
  LRN = "alpha beta bias size",
  LayerNormalization = "axis epsilon stash_type",
  LpNormalization = "axis p",
  MeanVarianceNormalization = "axes",
  RMSNormalization = "axis epsilon stash_type",
  SimplifiedLayerNormalization = "axis epsilon stash_type",
}

--- With training_mode the running statistics are outputs; in training without it they are updated in
--- place, as in nn.BatchNorm2d.
function ops.with_run.BatchNormalization(run, node, x, scale, bias, mean, variance)
  local a = node.attributes
  local momentum, eps = a.momentum or 0.9, a.epsilon or 1e-5
  if a.training_mode ~= 1 then
    return F.batch_norm(x, mean, variance, scale, bias, run.module.training, 1 - momentum, eps)
  end
  local dims = {1}
  for d = 3, x:dim() do dims[#dims + 1] = d end
  local own_mean = x:mean(dims)
  local own_variance = x:var(dims, {correction = 0})
  local y = F.batch_norm(x, own_mean, own_variance, scale, bias, false, 0, eps)
  return y, mean * momentum + own_mean * (1 - momentum),
    variance * momentum + own_variance * (1 - momentum)
end

function ops.InstanceNormalization(node, x, scale, bias)
  return F.instance_norm(x, {weight = scale, bias = bias, eps = node.attributes.epsilon or 1e-5})
end

--- Also returns the means and the inverse standard deviations.
function ops.LayerNormalization(node, x, scale, bias)
  local shape, eps = x.shape, node.attributes.epsilon or 1e-5
  local dim = values.dim(node.attributes.axis or -1, #shape)
  local normalized = table.move(shape, dim, #shape, 1, {})
  local y = F.layer_norm(x, normalized, {eps = eps}) * scale
  if bias then y = y + bias end
  if #node.outputs < 2 then return y end
  local dims = {}
  for d = dim, #shape do dims[#dims + 1] = d end
  local mean = x:mean(dims, true)
  return y, mean, (((x - mean) * (x - mean)):mean(dims, true) + eps):rsqrt()
end

--- Before version 21, there is one scale per group.
function ops.GroupNormalization(node, x, scale, bias)
  local groups = node.attributes.num_groups
  if node.version < 21 and scale:size(1) ~= x:size(2) then
    local each = x:size(2) // groups
    scale, bias = scale:repeat_interleave(each), bias:repeat_interleave(each)
  end
  return F.group_norm(x, groups, scale, bias, node.attributes.epsilon or 1e-5)
end

function ops.RMSNormalization(node, x, scale)
  local shape, eps = x.shape, node.attributes.epsilon or 1e-5
  local dims = {}
  for d = values.dim(node.attributes.axis or -1, #shape), #shape do dims[#dims + 1] = d end
  local wide = x:to(x.dtype == "float64" and "float64" or "float32")
  return (wide * ((wide * wide):mean(dims, true) + eps):rsqrt()):to(x.dtype) * scale
end

--- ONNX Runtime's name for RMSNormalization, also in this domain; also returns the inverse root mean squares.
function ops.SimplifiedLayerNormalization(node, x, scale)
  local y = ops.RMSNormalization(node, x, scale)
  if #node.outputs < 2 then return y end
  local dims = {}
  for d = values.dim(node.attributes.axis or -1, x:dim()), x:dim() do dims[#dims + 1] = d end
  return y, ((x * x):mean(dims, true) + (node.attributes.epsilon or 1e-5)):rsqrt()
end

function ops.LRN(node, x)
  local a = node.attributes
  local size = a.size
  local options = {alpha = a.alpha or 1e-4, beta = a.beta or 0.75, k = a.bias or 1.0}
  if size % 2 == 1 then return F.local_response_norm(x, size, options) end
  -- An even window extends one channel further after than before; in tide it is the other way around.
  return F.local_response_norm(x:flip(2), size, options):flip(2)
end

function ops.LpNormalization(node, x)
  local norm = x:norm(node.attributes.p or 2, values.dim(node.attributes.axis or -1, x:dim()), true)
  return tide.where(norm:eq(0), tide.zeros_like(x), x / norm)
end

function ops.MeanVarianceNormalization(node, x)
  local dims = values.dims(node.attributes.axes or {0, 2, 3}, x:dim())
  local centered = x - x:mean(dims, true)
  return centered / ((centered * centered):mean(dims, true):sqrt() + 1e-9)
end

return ops
