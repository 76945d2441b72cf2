-- tide.finfo: what numbers a floating type has.
local native = require "tide.native"
local raise = require "tide.internal.raise"
local tide = require "tide"

local short = {f16 = "float16", bf16 = "bfloat16", f32 = "float32", f64 = "float64"}

-- Bits of the fraction, the largest exponent, and all bits.
local forms = {
  float16 = {10, 15, 16}, bfloat16 = {7, 127, 16}, float32 = {23, 127, 32},
  float64 = {52, 1023, 64},
}

--- {dtype, bits, eps, max, min, tiny, smallest_normal, resolution} of a floating type.
local function finfo(dtype)
  dtype = short[dtype] or dtype or tide.get_default_dtype()
  local form = forms[dtype]
  if not form then raise("finfo: expected a floating type, got %s", tostring(dtype)) end
  local fraction, exponent, bits = table.unpack(form)
  local eps = 2.0 ^ -fraction
  local max = (2 - eps) * 2.0 ^ exponent
  local tiny = 2.0 ^ (1 - exponent)
  return setmetatable({
    dtype = dtype, bits = bits, eps = eps, max = max, min = -max, tiny = tiny,
    smallest_normal = tiny, resolution = 10.0 ^ -math.floor(fraction * math.log(2, 10)),
  }, native.list)
end

return finfo
