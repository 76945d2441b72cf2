-- Arithmetic of integers in every type, compared with Lua's own integers: quotients and remainders of any sign,
-- divisors of zero, the smallest number, shifts.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal = test.same_type

local kTypes <const> = {int8 = 8, uint8 = 8, int16 = 16, int32 = 32, int64 = 64}

--- A Lua integer wrapped to a type of this number of bits.
local function wrapped(value, dtype)
  local bits = kTypes[dtype]
  if bits == 64 then return value end
  value = value & ((1 << bits) - 1)
  local is_negative = dtype ~= "uint8" and value >> (bits - 1) == 1
  return is_negative and value - (1 << bits) or value
end

--- Values of a type for which arithmetic is likely to be wrong.
local function edges(dtype)
  local info = tide.iinfo(dtype)
  local list = {}
  for _, value in ipairs {info.min, info.min + 1, info.min // 2, -100, -13, -7, -3, -2, -1, 0, 1, 2, 3,
    7, 13, 100, info.max // 3, info.max // 2 + 1, info.max - 1, info.max} do
    if value >= info.min and value <= info.max then list[#list + 1] = value end
  end
  return list
end

--- Combines all pairs of edge values, or edge values with these second numbers, by fn, as tensors and
--- with a number on either side, and compares with reference(a, b).
local function compare_pairs(dtype, device, fn, reference, seconds)
  local options = {dtype = dtype, device = device}
  local firsts = edges(dtype)
  seconds = seconds or firsts
  local left, right, expected, columns = {}, {}, {}, {}
  for _, b in ipairs(seconds) do
    columns[b] = {}
    for _, a in ipairs(firsts) do
      local value = wrapped(reference(a, b), dtype)
      left[#left + 1], right[#right + 1], expected[#expected + 1] = a, b, value
      table.insert(columns[b], value)
    end
  end
  local got = fn(tide.tensor(left, options), tide.tensor(right, options))
  equal(got.dtype, dtype)
  equal(got:tolist(), expected)
  for _, b in ipairs(seconds) do equal(fn(tide.tensor(firsts, options), b):tolist(), columns[b]) end
  local row = {}
  for i, b in ipairs(seconds) do row[i] = columns[b][3] end
  equal(fn(firsts[3], tide.tensor(seconds, options)):tolist(), row)
end

local function cut_off(a, b)
  local quotient = a // b
  return quotient < 0 and quotient * b ~= a and quotient + 1 or quotient
end

local function shifted_left(a, count)
  return (count < 0 or count > 63) and 0 or a << count
end

--- floor(a / 2^count), which for counts beyond the type's bits is 0 or -1.
local function shifted_right(a, count)
  if count < 0 or count > 63 then return a < 0 and -1 or 0 end
  return a < 0 and ~(~a >> count) or a >> count
end

describe("integers", function(device)
  for dtype, bits in pairs(kTypes) do
    it(dtype .. " add, subtract and multiply, and wrap around", function()
      compare_pairs(dtype, device, function(a, b) return a + b end, function(a, b) return a + b end)
      compare_pairs(dtype, device, function(a, b) return a - b end, function(a, b) return a - b end)
      compare_pairs(dtype, device, function(a, b) return a * b end, function(a, b) return a * b end)
    end)
    local divisors = {}
    for _, b in ipairs(edges(dtype)) do
      if b ~= 0 then divisors[#divisors + 1] = b end
    end
    it(dtype .. " divide towards minus infinity, with the matching remainder", function()
      local function quotient(a, b) return a // b end
      local function rest(a, b) return a % b end
      compare_pairs(dtype, device, quotient, quotient, divisors)
      compare_pairs(dtype, device, rest, rest, divisors)
    end)
    it(dtype .. " divide towards zero, with the matching remainder", function()
      compare_pairs(dtype, device, function(a, b) return tide.div(a, b, {rounding_mode = "trunc"}) end,
        cut_off, divisors)
      compare_pairs(dtype, device, tide.fmod, math.fmod, divisors)
    end)
    it(dtype .. " shift by any number of bits", function()
      local counts = {0, 1, 2, bits // 2, bits - 2, bits - 1, bits, bits + 1, 63, 64, 100}
      if dtype ~= "uint8" then counts[#counts + 1] = -1 end
      compare_pairs(dtype, device, function(a, b) return a << b end, shifted_left, counts)
      compare_pairs(dtype, device, function(a, b) return a >> b end, shifted_right, counts)
    end)
  end
  it("do the same in place", function()
    local x = tide.tensor({-7, 7, -8}, {device = device})
    equal(x:clone():floor_divide_(2):tolist(), {-4, 3, -4})
    equal(x:clone():remainder_(3):tolist(), {2, 1, 1})
    equal(x:clone():fmod_(3):tolist(), {-1, 1, -2})
    equal(x:clone():bitwise_right_shift_(1):tolist(), {-4, 3, -4})
  end)
end)
