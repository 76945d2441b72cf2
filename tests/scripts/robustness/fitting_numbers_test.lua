-- Numbers that become elements: those out of the type's range are rejected, as in PyTorch,
-- while numbers that are operands of arithmetic wrap.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local F <const> = tide.nn.functional

describe("a number that becomes an element", function(device)
  local on = {device = device}
  local function bytes(...) return tide.tensor({...}, {dtype = "u8", device = device}) end
  local function filled(value, dtype)
    return tide.full({1}, value, {dtype = dtype, device = device})
  end

  it("may be the type's largest, and is rejected beyond it", function()
    for _, dtype in ipairs {"u8", "i8", "i16", "i32", "i64"} do
      local info = tide.iinfo(dtype)
      equal(filled(info.max, dtype):item(), info.max)
      equal(filled(info.min, dtype):item(), info.min)
      if dtype ~= "i64" then
        raises("full: " .. info.dtype, function() return filled(info.max + 1, dtype) end)
        raises("full: " .. info.dtype, function() return filled(info.max + 0.5, dtype) end)
      end
      raises("full: " .. info.dtype, function() return filled(1e30, dtype) end)
      raises("full: " .. info.dtype, function() return filled(-1e30, dtype) end)
      raises("full: " .. info.dtype, function() return filled(0 / 0, dtype) end)
    end
    raises("full: int8 goes from -128 to 127, got -129", function() return filled(-129, "i8") end)
  end)
  it("wraps in uint8 if it is a negative integer", function()
    equal(filled(-1, "u8"):item(), 255)
    equal(bytes(-255):item(), 1)
    raises("uint8 goes from 0 to 255, got -256", function() return filled(-256, "u8") end)
    raises("uint8 goes from 0 to 255, got -1", function() return filled(-1.0, "u8") end)
  end)
  it("may be infinite in floating types, but not too large to be finite there", function()
    equal(filled(math.huge, "f16"):item(), math.huge)
    equal(filled(65504.0, "f16"):item(), 65504.0)
    raises("full: float16 goes from -65504 to 65504, got 65520",
      function() return filled(65520, "f16") end)
    raises("full: float32", function() return filled(-1e39, "f32") end)
    equal(filled(1e39, "f64"):item(), 1e39)
    -- A table's numbers are rounded, as in PyTorch.
    equal(tide.tensor({1e39}, on):item(), math.huge)
  end)
  it("is rejected in tables of integers", function()
    raises("tensor: uint8 goes from 0 to 255, got 300", function() return bytes(1, 2, 300) end)
    raises("tensor: uint8", function() return bytes(1, 255.5) end)
    raises("new_tensor: uint8", function() return bytes(1):new_tensor {256} end)
    equal(tide.tensor({16777217.0, 1}, {dtype = "i64", device = device}):tolist(), {16777217, 1})
    equal(tide.tensor({1e-300}, {dtype = "bool", device = device}):item(), true)
  end)
  it("is rejected in writes, which do not change the tensor", function()
    local x = bytes(1, 2, 3)
    local writes = {
      fill_ = function(value) x:fill_(value) end,
      index = function(value) x[1] = value end,
      ["index of a mask"] = function(value) x[x:gt(1)] = value end,
      ["index of positions"] = function(value) x[tide.tensor({1, 1}, on)] = value end,
      masked_fill_ = function(value) x:masked_fill_(x:gt(1), value) end,
      index_fill_ = function(value) x:index_fill_(1, tide.tensor({1}, on), value) end,
      scatter_ = function(value) x:scatter_(1, tide.tensor({1}, on), value) end,
    }
    for name, write in pairs(writes) do
      for _, value in ipairs {256, -256, 255.5, -0.5, 0 / 0, math.huge} do
        raises("uint8 goes from 0 to 255", function() write(value) end)
        equal(x:tolist(), {1, 2, 3}, name)
      end
    end
    raises("fill_diagonal_: uint8",
      function() tide.zeros(2, 2, {dtype = "u8", device = device}):fill_diagonal_(300) end)
  end)
  it("is rejected where an op writes it to elements", function()
    local x = bytes(1, 2)
    raises("where: uint8", function() return tide.where(x:gt(1), x, 300) end)
    raises("clamp: uint8", function() return x:clamp({max = 300}) end)
    raises("pad: uint8", function() return F.pad(x, {1, 1}, "constant", 300) end)
    raises("hardtanh: uint8", function() return F.hardtanh(x, 0, 300) end)
    raises("masked_fill: uint8", function() return F.threshold(x, 1, 300) end)
    raises("addcmul: uint8", function() return tide.addcmul(x, x, x, {value = 300}) end)
    raises("add: uint8", function() return x:add(x, {alpha = 300}) end)
    raises("pow: uint8", function() return x ^ 300 end)
    -- With a floating number the result is floating.
    equal(tide.where(x:gt(1), x, 300.0):tolist(), {300.0, 2.0})
    equal(F.threshold(x, 1, 7.0):tolist(), {7, 2})
    equal(F.threshold(x, 1, 7.0).dtype, "uint8")
  end)
  it("must be in range for random integers", function()
    raises("randint: int8", function()
      return tide.randint(1, 128, {3}, {dtype = "i8", device = device})
    end)
    raises("randint: uint8", function()
      return tide.randint(-1, 5, {3}, {dtype = "u8", device = device})
    end)
    raises("random_: bool has 0 and 1, got 2", function()
      tide.zeros(3, {dtype = "bool", device = device}):random_(0, 2)
    end)
    equal(tide.randint(127, 127, {2}, {dtype = "i8", device = device}):tolist(), {127, 127})
  end)
  it("wraps where it is an operand", function()
    local x = bytes(1, 2)
    equal((x + 300):tolist(), {45, 46})
    equal((x * 300):tolist(), {44, 88})
    equal((x // 300):tolist(), {0, 0})
  end)
end)
