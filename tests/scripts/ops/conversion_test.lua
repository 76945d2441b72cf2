-- Types and devices: conversion, movement, what copies and what does not.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local kTypes = {"float32", "float64", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int64", "int32", "int16",
  "int8", "uint8", "bool"}

--- A number rounded to `bits` bits, with `lowest` the exponent of the smallest normal one, `most` the largest and
--- `beyond` the value for larger ones, computed in float64 only: the divisor is a power of two.
local function rounded(x, bits, lowest, most, beyond)
  local size = math.abs(x)
  local exponent = lowest
  while 2.0 ^ (exponent + 1) <= size do exponent = exponent + 1 end
  local unit = 2.0 ^ (exponent - bits + 1)
  local whole = size // unit
  local rest = size / unit - whole
  if rest > 0.5 or rest == 0.5 and whole % 2 == 1 then whole = whole + 1 end
  local result = whole * unit
  return (x < 0 and -1 or 1) * (result > most and beyond or result)
end

describe("conversion", function(device)
  it("preserves small integers in every type", function()
    for _, from in ipairs(kTypes) do
      for _, to in ipairs(kTypes) do
        local x = tide.tensor({0, 1}, {device = device}):to(from):to(to)
        equal(x.dtype, to)
        equal(x:to("int64"):tolist(), {0, 1})
      end
    end
  end)
  it("accepts short names of types", function()
    equal(tide.ones(1, {dtype = "f16", device = device}).dtype, "float16")
    equal(tide.ones(1, {dtype = "u8", device = device}).dtype, "uint8")
  end)
  it("truncates floats towards zero", function()
    equal(tide.tensor({-1.7, 1.7}, {device = device}):to("int64"):tolist(), {-1, 1})
  end)
  it("rounds to the nearest half-precision number", function()
    local x = tide.tensor({1 / 3}, {dtype = "float64", device = device})
    equal(x:to("float16"):item(), 0.333251953125)
    equal(x:to("bfloat16"):item(), 0.333984375)
  end)
  it("rounds float64 to narrow types once", function()
    -- Halfway, and slightly to either side: less than float32 resolves.
    local exponents = {
      float16 = {11, -14, 65504, -26, 16, math.huge}, bfloat16 = {8, -126, 0x1.FEp127, -136, 128, math.huge},
      float8_e4m3fn = {4, -6, 448, -12, 9, 0 / 0}, float8_e5m2 = {3, -14, 57344, -18, 16, math.huge},
    }
    for dtype, limits in pairs(exponents) do
      local bits, lowest, most, from, to, beyond = table.unpack(limits)
      local numbers, expected = {}, {}
      for exponent = from, to do
        for _, step in ipairs {0, 1, 2, 2 ^ (bits - 1) - 1} do
          for _, aside in ipairs {-2.0 ^ -35, 0.0, 2.0 ^ -35} do
            local x = (1 + (step + 0.5) * 2.0 ^ (1 - bits) + aside) * 2.0 ^ exponent
            for _, each in ipairs {x, -x} do
              numbers[#numbers + 1] = each
              expected[#expected + 1] = rounded(each, bits, lowest, most, beyond)
            end
          end
        end
      end
      local x = tide.tensor(numbers, {dtype = "float64", device = device})
      equal(x:to(dtype):to("float64"):tolist(), expected)
      equal((x * 1):to(dtype):mul(1):to("float64"):tolist(), expected)
      equal(tide.tensor(numbers, {dtype = dtype, device = device}):to("float64"):tolist(), expected)
      equal(tide.zeros_like(x, {dtype = dtype}):copy_(x):to("float64"):tolist(), expected)
    end
    local halves = tide.zeros(3, {dtype = "float16", device = device})
    halves[1] = 1 + 2.0 ^ -11 + 2.0 ^ -30
    halves[{2}]:fill_(1 + 2.0 ^ -11 + 2.0 ^ -30)
    equal(halves:to("float64"):tolist(), {1 + 2.0 ^ -10, 1 + 2.0 ^ -10, 0.0})
    equal(tide.full({1}, 1 + 2.0 ^ -11 + 2.0 ^ -30, {dtype = "float16", device = device}):item(), 1 + 2.0 ^ -10)
  end)
  it("rounds halfway cases between two half-precision numbers to even", function()
    for _, case in ipairs {{"bfloat16", 2.0 ^ -8}, {"float16", 2.0 ^ -11}} do
      local type, half = case[1], case[2]
      -- Steps of 1 are two halves: odd numbers of halves from 1 on lie between two numbers.
      local x = tide.tensor({1, 3, 5, 7, 2, 1 + 2.0 ^ -10, 3 - 2.0 ^ -10}, {device = device})
      for sign = -1, 1, 2 do
        local got = (((x * half + 1) * sign):to(type):float() * sign - 1) / half
        equal(got:tolist(), {0.0, 4.0, 4.0, 8.0, 2.0, 2.0, 2.0})
      end
    end
  end)
  it("returns the tensor itself when nothing changes", function()
    local x = tide.ones(2, {device = device})
    test.is_true(x:to(device) == x)
    test.is_true(x:to("float32") == x)
    test.is_false(x:copyto(device) == x)
    test.is_true(x:as_in_ctx(device) == x)
  end)
  it("lists the types for an unknown one", function()
    raises("float32", function() return tide.ones(1, {dtype = "float31"}) end)
  end)
  it("moves to a device and back without changing values", function()
    local x = tide.randn(5, 7)
    test.identical(x:to(device):cpu(), x)
  end)
  it("does not share elements after a move", function()
    local x = tide.zeros(3)
    local moved = x:copyto(device)
    moved:add_(1)
    equal(x:tolist(), {0.0, 0.0, 0.0})
  end)
  it("sends the value at the time of the call", function()
    local x = tide.zeros(1000)
    local moved = x:to("sim:0", {non_blocking = true})
    x:fill_(7)
    equal(moved:sum():item(), 0.0)
  end)
end)

describe("pinned memory", function(device)
  local x
  test.before_each(function() x = tide.arange(3000):to("float32") end)

  it("holds a copy of the same elements on the cpu", function()
    local pinned = x:pin_memory()
    test.is_true(pinned:is_pinned())
    test.is_false(x:is_pinned())
    equal(pinned.device, tide.device("cpu"))
    test.is_true(pinned:equal(x) and pinned ~= x)
    x:add_(1)
    equal(pinned:sum():item(), 2999 * 1500.0)
  end)
  it("has a grad function if x has one", function()
    test.is_false(x:pin_memory().requires_grad)
    test.is_false(x:pin_memory():pin_memory().requires_grad)
    x:requires_grad_()
    local tripled = x:pin_memory():pin_memory() * 3
    tripled:sum():backward()
    equal(x.grad:sum():item(), 9000.0)
  end)
  it("pins values of a table, if the options say so", function()
    local pinned = tide.tensor({1, 2, 3}, {pin_memory = true})
    test.is_true(pinned:is_pinned())
    for _, x in ipairs {tide.zeros(2, {pin_memory = true}), tide.rand(2, {pin_memory = true}),
      tide.arange(3, {pin_memory = true}), tide.ones_like(pinned, {pin_memory = true})} do
      test.is_true(x:is_pinned())
    end
    equal(pinned:tolist(), {1, 2, 3})
    test.is_false(tide.tensor({1, 2, 3}, {pin_memory = false}):is_pinned())
  end)
  it("is kept by writes into it", function()
    local pins = tide.ones(2):pin_memory():is_pinned()
    local plain, there = tide.tensor {1, 2, 3, 4}, tide.tensor({5, 6, 7, 8}, {device = device})
    for _, case in ipairs {
      {function(x) x:copy_(plain) end, {1.0, 2.0, 3.0, 4.0}},
      {function(x) x:copy_(there) end, {5.0, 6.0, 7.0, 8.0}},
      {function(x) x:copy_(there:to("float32")) end, {5.0, 6.0, 7.0, 8.0}},
      {function(x) x:copy_(plain:to("float64") * 2) end, {2.0, 4.0, 6.0, 8.0}},
      {function(x) x:fill_(3) end, {3.0, 3.0, 3.0, 3.0}},
      {function(x) x:zero_() end, {0.0, 0.0, 0.0, 0.0}},
      {function(x) x:add_(1):mul_(2) end, {4.0, 4.0, 4.0, 4.0}},
      {function(x) x[{{2, 3}}] = 9 end, {1.0, 9.0, 9.0, 1.0}},
      {function(x) x[4] = there[1] end, {1.0, 1.0, 1.0, 5.0}},
    } do
      local write, expected = table.unpack(case)
      for _, dtype in ipairs {"float32", "float16"} do
        local x = tide.ones({4}, {dtype = dtype, pin_memory = true})
        local seen = x[{{1, 2}}]
        write(x)
        equal(x:to("float64"):tolist(), expected)
        equal({x:is_pinned(), seen:is_pinned()}, {pins, pins})
        equal(seen:to("float64"):tolist(), {expected[1], expected[2]})
      end
    end
    test.is_true(tide.tensor({1.0}, {pin_memory = true, requires_grad = true}).is_leaf)
  end)
  it("is not pinned again, and tensors of a device are not moved", function()
    local pinned = x:pin_memory()
    test.is_true(pinned:pin_memory() == pinned)
    test.is_true(pinned:narrow(1, 5, 10):is_pinned())
    local there = tide.ones(3, {device = "sim:0"})
    test.is_true(there:pin_memory() == there)
  end)
  it("supports views and empty tensors", function()
    local view = x:reshape(30, 100):t()[{{2, 50}, {1, 30, 3}}]
    test.is_true(view:pin_memory():equal(view))
    equal(tide.zeros(0):pin_memory().shape[1], 0)
  end)
  it("can be moved to a device, also in parts", function()
    local pinned = x:pin_memory()
    test.is_true(pinned:to(device):cpu():equal(x))
    test.is_true(pinned:narrow(1, 100, 50):to(device):cpu():equal(x:narrow(1, 100, 50)))
  end)
  it("sends the value at the time of the call", function()
    local pinned = x:pin_memory()
    local moved = pinned:to(device, {copy = true})
    pinned:fill_(7)
    test.is_true(moved:cpu():equal(x))
    moved, pinned = x:pin_memory():to(device, {copy = true}), nil
    collectgarbage()
    x:pin_memory():fill_(7) -- uses the same block
    test.is_true(moved:cpu():equal(x))
  end)
  it("lets gradients through", function()
    local w = tide.ones(3):requires_grad_(true)
    local y = (w * 2):pin_memory():to(device)
    y:sum():backward()
    equal(w.grad:tolist(), {2.0, 2.0, 2.0})
  end)
  it("is used by loaders", function()
    local set = tide.data.TensorDataset(x, x)
    for a, b in tide.data.DataLoader(set, {batch_size = 1000, pin_memory = true}):iter() do
      test.is_true(a:is_pinned() and b:is_pinned())
    end
  end)
end)

describe("copies to the cpu", function()
  local there
  test.before_each(function()
    tide.sim.configure {index = 0, copy_latency = 0.01}
    there = tide.ones(10, {device = "sim:0"})
    tide.synchronize()
  end)
  test.after_each(function() tide.sim.configure {index = 0, copy_latency = 1e-5} end)

  it("wait, or with non_blocking only the first read does", function()
    local waits = tide.wait_count()
    there:to("cpu")
    equal(tide.wait_count() - waits, 1)
    there:to("cpu", true)
    equal(tide.wait_count() - waits, 1)
    local here = there:to("cpu", {non_blocking = true})
    equal(tide.wait_count() - waits, 1)
    equal(here:sum():item(), 10.0)
    equal(tide.wait_count() - waits, 2)
  end)
end)

describe("two devices", function()
  it("cannot be mixed, and the error names both", function()
    local here, there = tide.ones(2), tide.ones(2, {device = "sim:0"})
    local message = raises("add", function() return here + there end)
    test.is_true(message:find("cpu", 1, true) and message:find("sim:0", 1, true))
  end)
  it("can be mixed with cpu tensors of no dimensions", function()
    local sum = tide.ones(2, {device = "sim:0"}) + tide.tensor(0.5)
    equal(sum.device, tide.device("sim:0"))
    equal(sum:tolist(), {1.5, 1.5})
  end)
  it("can be named if absent, but not used", function()
    equal(tostring(tide.device("cuda:7")), "cuda:7")
    raises("cuda:7", function() return tide.ones(2, {device = "cuda:7"}) end)
  end)
  it("are the same object under the same name", function()
    test.is_true(tide.device("sim") == tide.device("sim:0"))
    test.is_false(tide.device("sim:0") == tide.device("sim:1"))
  end)
end)
