-- Numbers held as 8-bit integers with a scale and a zero point.
local tide = require "tide"
local values = require "tide.onnx.values"
local convolutions = require "tide.onnx.ops.convolutions"

local ops = {
  state = {
    QuantizeLinear = {2, 3}, DequantizeLinear = {1, 2, 3}, QLinearConv = {2, 3, 4, 5, 6, 7, 8, 9},
    QLinearMatMul = {2, 3, 4, 5, 6, 7, 8},
  },
}

local kRange <const> = {uint8 = {0, 255}, int8 = {-128, 127}}

--- A value for each place along an axis, or one for all, shaped to meet x.
local function along(value, x, axis)
  if not value or value:numel() == 1 and value:dim() < 2 then return value and value:reshape({}) end
  if value:dim() ~= 1 then return value end
  local shape = values.filled(x:dim(), 1)
  shape[values.dim(axis, x:dim())] = -1
  return value:reshape(shape)
end

--- x / scale + zero point, rounded, in the zero point's type.
local function quantize(x, scale, zero_point, axis)
  local dtype = zero_point and zero_point.dtype or "uint8"
  local y = (x / along(scale, x, axis)):round()
  if zero_point then y = y + along(zero_point, x, axis) end
  return y:clamp(kRange[dtype][1], kRange[dtype][2]):to(dtype)
end

function ops.QuantizeLinear(node, x, scale, zero_point)
  return quantize(x:to(scale.dtype), scale, zero_point, node.attributes.axis or 1)
end

--- x without its zero point, as exact floats.
local function centered(x, zero_point, axis, dtype)
  local y = x:to(dtype)
  return zero_point and y - along(zero_point, x, axis):to(dtype) or y
end

function ops.DequantizeLinear(node, x, scale, zero_point)
  local axis = node.attributes.axis or 1
  return centered(x, zero_point, axis, scale.dtype) * along(scale, x, axis)
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
