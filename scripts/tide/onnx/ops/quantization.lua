-- Values stored as 8-bit or 16-bit integers with a scale and a zero point.
local convolutions = require "tide.onnx.ops.convolutions"
local quantized = require "tide.onnx.quantized"
local tensors = require "tide.onnx.tensors"
local values = require "tide.onnx.values"

local ops = {
  state = {
    QuantizeLinear = {2, 3}, DequantizeLinear = {1, 2, 3}, QLinearConv = {2, 3, 4, 5, 6, 7, 8, 9},
    QLinearMatMul = {2, 3, 4, 5, 6, 7, 8},
  },
}

ops.attributes = {
  ConvInteger = "auto_pad dilations group kernel_shape pads strides",
  DequantizeLinear = "axis block_size output_dtype",
  QLinearConv = "auto_pad dilations group kernel_shape pads strides",
  QuantizeLinear = "axis block_size output_dtype precision saturate",
}

function ops.QuantizeLinear(node, x, scale, zero_point)
  local a = node.attributes
  local wanted, precision = a.output_dtype or 0, a.precision or 0
  local dtype = precision ~= 0 and tensors.dtype_of(precision) or scale.dtype
  return quantized.quantize(x:to(dtype), scale:to(dtype), zero_point, a.axis or 1,
    wanted ~= 0 and tensors.dtype_of(wanted) or nil, a.block_size)
end

function ops.DequantizeLinear(node, x, scale, zero_point)
  local a = node.attributes
  local axis, wanted = a.axis or 1, a.output_dtype or 0
  local y = quantized.centered(x, zero_point, axis, scale.dtype, a.block_size)
    * quantized.along(scale, x, axis, a.block_size)
  return wanted ~= 0 and y:to(tensors.dtype_of(wanted)) or y
end

function ops.DynamicQuantizeLinear(_, x) return quantized.dynamic(x) end

-- Sums of 8-bit products are not exact in float32, but exact in float64.

--- Zero points may be vectors: for a one value per row, for b one per column.
function ops.MatMulInteger(_, a, b, a_zero, b_zero)
  if a_zero and a_zero:dim() == 1 and a_zero:numel() > 1 then a_zero = a_zero:unsqueeze(2) end
  return quantized.centered(a, a_zero, -1, "float64"):matmul(quantized.centered(b, b_zero, -1, "float64")):to("int32")
end

function ops.ConvInteger(node, x, weight, x_zero, w_zero)
  return convolutions.Conv(node, quantized.centered(x, x_zero, 1, "float64"),
    quantized.centered(weight, w_zero, 0, "float64")):to("int32")
end

function ops.QLinearMatMul(_, a, a_scale, a_zero, b, b_scale, b_zero, scale, zero)
  local function columns(value)
    return value:dim() == 1 and value:numel() > 1 and value:unsqueeze(2) or value
  end
  local product = quantized.centered(a, columns(a_zero), -1, "float64") * columns(a_scale):to("float64")
  product = product:matmul(quantized.centered(b, b_zero, -1, "float64") * quantized.along(b_scale, b, -1):to("float64"))
  return quantized.quantize(product, scale:to("float64"), zero, 1)
end

function ops.QLinearConv(node, x, x_scale, x_zero, weight, w_scale, w_zero, scale, zero, bias)
  local sums = convolutions.Conv(node, quantized.centered(x, x_zero, 1, "float64"),
    quantized.centered(weight, w_zero, 0, "float64"))
  if bias then
    sums = sums + bias:to("float64"):reshape(-1, table.unpack(values.filled(x:dim() - 2, 1)))
  end
  local factor = quantized.along(w_scale, x, 1):to("float64") * x_scale:reshape({}):to("float64")
  return quantized.quantize(sums * factor, scale:to("float64"), zero, 1)
end

return ops
