-- Matmuls and convolutions fused with the ops after them, and variants of Gelu.
local activation = require "tide.onnx.activation"
local convolutions = require "tide.onnx.ops.convolutions"
local F = require "tide.nn.functional"
local matrices = require "tide.onnx.ops.matrices"
local raise = require "tide.internal.raise"

local ops = {}

ops.attributes = {
  FusedConv = "activation activation_params auto_pad dilations group kernel_shape pads strides",
  FusedGemm = "activation activation_alpha activation_beta activation_gamma alpha beta transA transB",
  FusedMatMul = "alpha transA transB transBatchA transBatchB",
  QuickGelu = "alpha",
}

function ops.Gelu(_, x) return F.gelu(x) end

function ops.BiasGelu(_, x, bias) return F.gelu(x + bias) end

--- Gelu with the tanh approximation.
function ops.FastGelu(_, x, bias) return F.gelu(bias and x + bias or x, "tanh") end

function ops.QuickGelu(node, x) return x * (x * (node.attributes.alpha or 1.702)):sigmoid() end

--- x with its first dimension moved after the batch dimensions, and transposed, if the node's attributes say so.
local function turned(x, batch, matrix)
  if batch == 1 then
    local order = {}
    for d = 2, x:dim() - 1 do order[#order + 1] = d end
    order[#order + 1] = 1
    order[#order + 1] = x:dim()
    x = x:permute(order)
  end
  return matrix == 1 and x:dim() > 1 and x:transpose(-2, -1) or x
end

function ops.FusedMatMul(node, a, b)
  local given = node.attributes
  local product = turned(a, given.transBatchA, given.transA):matmul(turned(b, given.transBatchB, given.transB))
  return product * (given.alpha or 1.0)
end

function ops.FusedGemm(node, a, b, c)
  local given = node.attributes
  local product = matrices.Gemm(node, a, b, c)
  if not given.activation or given.activation == "" then return product end
  return activation(given.activation, given.activation_alpha, given.activation_beta)(product)
end

--- z is added before the activation.
function ops.FusedConv(node, x, weight, bias, z)
  local given = node.attributes
  local y = convolutions.Conv(node, x, weight, bias)
  if z then y = y + z end
  if not given.activation or given.activation == "" then return y end
  local params = given.activation_params or {}
  if #params > 2 then raise("%d activation_params for %s", #params, given.activation) end
  return activation(given.activation, params[1], params[2])(y)
end

return ops
