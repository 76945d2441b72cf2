-- Matrix products and determinants.
local F = require "tide.nn.functional"
local tide = require "tide"

local ops = {}

ops.attributes = {
  Einsum = "equation",
  Gemm = "alpha beta transA transB",
}

function ops.MatMul(_, a, b) return a:matmul(b) end

function ops.Gemm(node, a, b, c)
  local alpha, beta = node.attributes.alpha or 1.0, node.attributes.beta or 1.0
  local x = node.attributes.transA == 1 and a:t() or a
  if alpha == 1.0 and beta == 1.0 and node.attributes.transB == 1 and (not c or c:dim() == 1) then
    return F.linear(x, b, c)
  end
  local product = x:matmul(node.attributes.transB == 1 and b:t() or b)
  if alpha ~= 1.0 then product = product * alpha end
  if not c or beta == 0 then return product:to(a.dtype) end
  return (product + (beta ~= 1.0 and c * beta or c)):to(a.dtype)
end

function ops.Einsum(node, ...)
  return tide.einsum((node.attributes.equation:gsub("%s", "")), ...)
end

function ops.Det(_, x) return tide.linalg.det(x) end

return ops
