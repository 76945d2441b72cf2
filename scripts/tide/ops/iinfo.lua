-- tide.iinfo: numerical limits of an integer type.
local checked = require "tide.internal.declare.checked"
local native = require "tide.native"
local raise = require "tide.internal.raise"

local short = {i8 = "int8", i16 = "int16", i32 = "int32", i64 = "int64", u8 = "uint8"}
local bits_of = {int8 = 8, int16 = 16, int32 = 32, int64 = 64, uint8 = 8}

--- Numerical limits of an integer type: a table with min, max, bits.
---@param dtype dtype  the type
---@example
--- tide.iinfo("int8").max --> 127
local iinfo = checked("iinfo", function(dtype)
  dtype = short[dtype] or dtype
  local bits = bits_of[dtype]
  if not bits then raise("iinfo: expected an integer type, got %s", tostring(dtype)) end
  local least = dtype == "uint8" and 0 or -(1 << (bits - 1)) -- also for 64 bits, where it wraps around
  local most = dtype == "uint8" and 255 or -(least + 1)
  return setmetatable({dtype = dtype, bits = bits, min = least, max = most}, native.list)
end)

return iinfo
