-- Numbers held as integers of 8 or 16 bits with a scale and a zero point.
local raise = require "tide.internal.raise"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"
local values = require "tide.onnx.values"
local convolutions = require "tide.onnx.ops.convolutions"

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

--- Ranges by the types that hold quantized numbers; int32 holds uint16.
local kRange <const> = {
  uint8 = {0, 255}, int8 = {-128, 127}, int16 = {-32768, 32767}, int32 = {0, 65535},
}

--- A value for each index along an axis, for each block of them, or one for all, shaped to meet x.
local function along(value, x, axis, block_size)
  if not value or value:numel() == 1 and value:dim() < 2 then return value and value:reshape({}) end
  if (block_size or 0) > 0 then
    local dim = values.dim(axis, x:dim())
    return value:repeat_interleave(block_size, dim):narrow(dim, 1, x:size(dim))
  end
  if value:dim() ~= 1 then return value end
  local shape = values.filled(x:dim(), 1)
  shape[values.dim(axis, x:dim())] = -1
  return value:reshape(shape)
end

--- x / scale + zero point, rounded, in the zero point's type; without one in `dtype` (uint8).
local function quantize(x, scale, zero_point, axis, dtype, block_size)
  dtype = zero_point and zero_point.dtype or dtype or "uint8"
  if not kRange[dtype] then raise("numbers cannot be quantized to %s", dtype) end
  local y = (x / along(scale, x, axis, block_size)):round()
  if zero_point then y = y + along(zero_point, x, axis, block_size) end
  return y:clamp(kRange[dtype][1], kRange[dtype][2]):to(dtype)
end

function ops.QuantizeLinear(node, x, scale, zero_point)
  local a = node.attributes
  local wanted, precision = a.output_dtype or 0, a.precision or 0
  local dtype = precision ~= 0 and tensors.dtype_of(precision) or scale.dtype
  return quantize(x:to(dtype), scale:to(dtype), zero_point, a.axis or 1,
    wanted ~= 0 and tensors.dtype_of(wanted) or nil, a.block_size)
end

--- x without its zero point, as exact floats.
local function centered(x, zero_point, axis, dtype, block_size)
  local y = x:to(dtype)
  return zero_point and y - along(zero_point, x, axis, block_size):to(dtype) or y
end

function ops.DequantizeLinear(node, x, scale, zero_point)
  local a = node.attributes
  local axis, wanted = a.axis or 1, a.output_dtype or 0
  local y = centered(x, zero_point, axis, scale.dtype, a.block_size) * along(scale, x, axis, a.block_size)
  return wanted ~= 0 and y:to(tensors.dtype_of(wanted)) or y
end

--- The scale and zero point that cover the values of x and 0.
function ops.DynamicQuantizeLinear(_, x)
  local low, high = x:amin():clamp(nil, 0), x:amax():clamp(0)
  local scale = (high - low) / 255
  scale = tide.where(scale:eq(0), 1.0, scale)
  local zero_point = (-low / scale):round():clamp(0, 255):to("uint8")
  return quantize(x, scale, zero_point, 1), scale, zero_point
end

-- Sums of products of 8 bits have more digits than float32 holds, but not than float64.

--- A zero point with a value for each row stands for rows of a, one for each column for those of b.
function ops.MatMulInteger(_, a, b, a_zero, b_zero)
  if a_zero and a_zero:dim() == 1 and a_zero:numel() > 1 then a_zero = a_zero:unsqueeze(2) end
  return centered(a, a_zero, -1, "float64"):matmul(centered(b, b_zero, -1, "float64")):to("int32")
end

function ops.ConvInteger(node, x, weight, x_zero, w_zero)
  return convolutions.Conv(node, centered(x, x_zero, 1, "float64"),
    centered(weight, w_zero, 0, "float64")):to("int32")
end

function ops.QLinearMatMul(_, a, a_scale, a_zero, b, b_scale, b_zero, scale, zero)
  local function columns(value)
    return value:dim() == 1 and value:numel() > 1 and value:unsqueeze(2) or value
  end
  local product = centered(a, columns(a_zero), -1, "float64") * columns(a_scale):to("float64")
  product = product:matmul(centered(b, b_zero, -1, "float64") * along(b_scale, b, -1):to("float64"))
  return quantize(product, scale:to("float64"), zero, 1)
end

function ops.QLinearConv(node, x, x_scale, x_zero, weight, w_scale, w_zero, scale, zero, bias)
  local sums = convolutions.Conv(node, centered(x, x_zero, 1, "float64"),
    centered(weight, w_zero, 0, "float64"))
  if bias then
    sums = sums + bias:to("float64"):reshape(-1, table.unpack(values.filled(x:dim() - 2, 1)))
  end
  local factor = along(w_scale, x, 1):to("float64") * x_scale:reshape({}):to("float64")
  return quantize(sums * factor, scale:to("float64"), zero, 1)
end

return ops
