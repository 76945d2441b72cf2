-- Quantizes values to integers with a scale and a zero point, and dequantizes them.
local raise = require "tide.internal.raise"
local tide = require "tide"
local values = require "tide.onnx.values"

local quantized = {}

--- Ranges of the dtypes of quantized values; int32 holds uint16.
local kRange <const> = {
  uint8 = {0, 255}, int8 = {-128, 127}, int16 = {-32768, 32767}, int32 = {0, 65535},
}

--- Reshapes a value for each index along an axis, for each block of them, or for all, to broadcast with x.
function quantized.along(value, x, axis, block_size)
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

--- x / scale + zero point, rounded, in the zero point's dtype; without a zero point in `dtype` (uint8).
function quantized.quantize(x, scale, zero_point, axis, dtype, block_size)
  dtype = zero_point and zero_point.dtype or dtype or "uint8"
  if not kRange[dtype] then raise("values cannot be quantized to %s", dtype) end
  local y = (x / quantized.along(scale, x, axis, block_size)):round()
  if zero_point then y = y + quantized.along(zero_point, x, axis, block_size) end
  return y:clamp(kRange[dtype][1], kRange[dtype][2]):to(dtype)
end

--- x minus its zero point, as exact floats.
function quantized.centered(x, zero_point, axis, dtype, block_size)
  local y = x:to(dtype)
  return zero_point and y - quantized.along(zero_point, x, axis, block_size):to(dtype) or y
end

--- x quantized to uint8 with a scale and zero point that cover its values and 0; also returns these.
function quantized.dynamic(x)
  local low, high = x:amin():clamp(nil, 0), x:amax():clamp(0)
  local scale = (high - low) / 255
  scale = tide.where(scale:eq(0), 1.0, scale)
  local zero_point = (-low / scale):round():clamp(0, 255):to("uint8")
  return quantized.quantize(x, scale, zero_point, 1), scale, zero_point
end

return quantized
