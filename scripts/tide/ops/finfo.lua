-- tide.finfo: numerical properties of a floating type.
local checked = require "tide.internal.declare.checked"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local tide = require "tide"

local short = {
  f8e4m3 = "float8_e4m3fn", f8e5m2 = "float8_e5m2", f16 = "float16", bf16 = "bfloat16",
  f32 = "float32", f64 = "float64",
}

-- Bits of the fraction, the smallest exponent, the largest number, and the total number of bits.
local forms = {
  float8_e4m3fn = {3, -6, 448.0, 8}, float8_e5m2 = {2, -14, 57344.0, 8},
  float16 = {10, -14, 65504.0, 16}, bfloat16 = {7, -126, 0x1.fep127, 16},
  float32 = {23, -126, 0x1.fffffep127, 32}, float64 = {52, -1022, 0x1.fffffffffffffp1023, 64},
}

--- Numerical properties of a floating type: a table with eps, max, min, tiny, bits.
---@param dtype dtype = nil  the type; nil is the default type
---@example
--- tide.finfo("float32").bits --> 32
local finfo = checked("finfo", function(dtype)
  dtype = short[dtype] or dtype or tide.get_default_dtype()
  local form = forms[dtype]
  if not form then raise("finfo: expected a floating type, got %s", tostring(dtype)) end
  local fraction, least, max, bits = table.unpack(form)
  local eps, tiny = 2.0 ^ -fraction, 2.0 ^ least
  return setmetatable({
    dtype = dtype, bits = bits, eps = eps, max = max, min = -max, tiny = tiny,
    smallest_normal = tiny, resolution = 10.0 ^ -math.floor(fraction * math.log(2, 10)),
  }, native.list)
end)

return finfo
