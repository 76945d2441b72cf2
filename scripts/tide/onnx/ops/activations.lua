-- Activations, and softmax ops along an axis.
local F = require "tide.nn.functional"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {}

ops.attributes = {
  Celu = "alpha",
  Elu = "alpha",
  Gelu = "approximate",
  HardSigmoid = "alpha beta",
  Hardmax = "axis",
  LeakyRelu = "alpha",
  LogSoftmax = "axis",
  Selu = "alpha gamma",
  Shrink = "bias lambd",
  Softmax = "axis",
  Swish = "alpha",
  ThresholdedRelu = "alpha",
}

function ops.Relu(_, x) return x:relu() end

function ops.LeakyRelu(node, x) return F.leaky_relu(x, node.attributes.alpha or 0.01) end

function ops.Elu(node, x) return F.elu(x, node.attributes.alpha or 1.0) end

function ops.Celu(node, x) return F.celu(x, node.attributes.alpha or 1.0) end

function ops.Selu(node, x)
  local alpha = node.attributes.alpha or 1.67326319217681884765625
  local gamma = node.attributes.gamma or 1.05070102214813232421875
  return F.elu(x, alpha) * gamma
end

function ops.ThresholdedRelu(node, x) return F.threshold(x, node.attributes.alpha or 1.0, 0.0) end

function ops.HardSigmoid(node, x)
  local a = node.attributes
  return (x * (a.alpha or 0.2) + (a.beta or 0.5)):clamp(0, 1)
end

function ops.Gelu(node, x) return F.gelu(x, node.attributes.approximate or "none") end

function ops.Mish(_, x) return F.mish(x) end

function ops.Swish(node, x)
  local alpha = node.attributes.alpha or 1.0
  return x * (alpha == 1 and x or x * alpha):sigmoid()
end

function ops.HardSwish(_, x) return F.hardswish(x) end

function ops.Softplus(_, x) return F.softplus(x, 1, 40) end -- above 40 the result is x

function ops.Softsign(_, x) return F.softsign(x) end

function ops.Shrink(node, x)
  local bias, limit = node.attributes.bias or 0.0, node.attributes.lambd or 0.5
  local shrunk = tide.where(x:lt(-limit), x + bias, tide.where(x:gt(limit), x - bias, 0 * x))
  return shrunk:to(x.dtype)
end

--- Before opset 13, all dimensions from the axis on are flattened.
local function along_axis(node, x, compute)
  local shape = x.shape
  if node.version >= 13 then return compute(x, values.dim(node.attributes.axis or -1, #shape)) end
  local axis = node.attributes.axis or 1
  local dim = axis == #shape and #shape + 1 or values.dim(axis, #shape)
  local matrix = x:reshape(values.product(shape, 1, dim - 1), values.product(shape, dim))
  return compute(matrix, 2):reshape(shape)
end

function ops.Softmax(node, x) return along_axis(node, x, tide.softmax) end

function ops.LogSoftmax(node, x) return along_axis(node, x, tide.log_softmax) end

function ops.Hardmax(node, x)
  return along_axis(node, x, function(y, dim)
    return tide.zeros_like(y):scatter(dim, y:argmax(dim, true), 1)
  end)
end

return ops
