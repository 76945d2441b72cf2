-- Requirements on values, checked on the device: invalid values raise an error when the result is
-- read, and do not affect anything else.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises, close = test.equal, test.raises, test.close
local F, nan, inf = tide.nn.functional, 0 / 0, math.huge

local kDivisions <const> = {
  floor_divide = function(a, b) return tide.floor_divide(a, b) end,
  ["floor_divide "] = function(a, b) return a // b end,
  remainder = function(a, b) return a % b end,
  fmod = function(a, b) return tide.fmod(a, b) end,
  div = function(a, b) return tide.div(a, b, {rounding_mode = "floor"}) end,
  ["div "] = function(a, b) return tide.div(a, b, {rounding_mode = "trunc"}) end,
}

--- Reads the result of fn; errors may be raised while it records or while it is read.
local function reading(fn) return function() return fn():tolist() end end

describe("division of integers by zero", function(device)
  local function int(values, dtype)
    return tide.tensor(values, {dtype = dtype or "int64", device = device})
  end

  it("raises an error for every type and kind of division", function()
    for _, dtype in ipairs {"int64", "int32", "int16", "int8", "uint8"} do
      for name, divide in pairs(kDivisions) do
        local op = name:gsub(" $", "") .. ": integer division by zero"
        local x = int({7, 6, 5}, dtype)
        raises(op, reading(function() return divide(x, int({1, 0, 2}, dtype)) end))
        raises(op, reading(function() return divide(x, int(0, dtype)) end))
        raises(op, reading(function() return divide(x, tide.tensor({true, true, false},
          {device = device})) end))
        equal(divide(x, int({1, 2, 5}, dtype)):tolist(),
          divide(x:double(), int({1, 2, 5})):long():tolist())
      end
    end
  end)
  it("by a number raises an error when the line runs", function()
    for name, divide in pairs(kDivisions) do
      local op = name:gsub(" $", "") .. ": integer division by zero"
      raises(op, divide, int {7, 6}, 0)
      raises(op, divide, tide.ones({2}, {dtype = "bool", device = device}), 0)
    end
    raises("floor_divide: integer division by zero", function() return 5 // int {1} // 0 end)
    local x = int {1}
    raises("floor_divide: integer division by zero", x.floor_divide_, x, 0)
  end)
  it("is allowed for floats, and for tensors without elements", function()
    equal((int {4} // 0.0):tolist(), {inf})
    equal((int({4}):float() // int {0}):tolist(), {inf})
    equal((int {} // 0).shape, {0})
    equal((int {} % int(0)).shape, {0})
    equal((int({1, 2}):narrow(1, 1, 0) // int({0, 0}):narrow(1, 1, 0)).shape, {0})
  end)
  it("checks views, and repeated divisors once", function()
    local x = int {{1, 0}, {2, 5}}
    equal((int {8, 9} // x:select(2, 1)):tolist(), {8, 4})
    raises("division by zero", reading(function() return int {8, 9} // x:select(2, 2) end))
    raises("division by zero", reading(function() return int {{8, 9}, {8, 9}} // x.T end))
    equal((int {{8, 9, 7}, {5, 4, 3}} // int({{2}, {3}}):expand(2, 3)):tolist(),
      {{4, 4, 3}, {1, 1, 1}})
  end)
  it("checks the divisor after conversion to the result's type", function()
    raises("division by zero", reading(function() return int({5}, "uint8") // int(256) end))
  end)
  it("fails what is computed from it, and nothing else", function()
    local x, divisor = int {7, 6}, int {0, 2}
    local good = x + 1
    local bad = good // divisor
    local worse, still = bad * 2 + x, good * 3
    equal(still:tolist(), {24, 21})
    raises("floor_divide: integer division by zero", worse.tolist, worse)
    raises("floor_divide: integer division by zero", bad.sum(bad).item, bad.sum(bad))
    equal(good:tolist(), {8, 7})
  end)
  it("in place keeps the old value", function()
    local x = int {7, 6}
    x:floor_divide_(int {0, 2})
    raises("integer division by zero", x.tolist, x)
    equal(x:tolist(), {7, 6})
    local row = int {{7, 6}, {5, 4}}
    row[2]:remainder_(int {3, 0})
    raises("integer division by zero", row.tolist, row)
    equal(row:tolist(), {{7, 6}, {5, 4}})
  end)
  it("is checked in eager mode and over many windows", function()
    tide.eager(function()
      local y = int {1} % int {0}
      raises("remainder: integer division by zero", y.tolist, y)
    end)
    local sum = int {0}
    for i = 1, 400 do sum = sum + int {i} // int {1 + i % 3} end
    local expected = 0
    for i = 1, 400 do expected = expected + i // (1 + i % 3) end
    equal(sum:tolist(), {expected})
  end)
end)

describe("probabilities and weights", function(device)
  local function row(values) return tide.tensor(values, {device = device}) end

  it("of bernoulli are from 0 to 1", function()
    for _, wrong in ipairs {-0.1, 1.1, nan, inf} do
      raises("bernoulli: a probability must be from 0 to 1",
        reading(function() return row({0.5, wrong}):bernoulli() end))
    end
    equal(row({0, 1.0, 1}):bernoulli():tolist(), {0.0, 1.0, 1.0})
    equal(row({}):bernoulli().shape, {0})
  end)
  it("of multinomial are finite, not negative, and not all zero", function()
    for _, replacement in ipairs {false, true} do
      for _, wrong in ipairs {{-1.0, 2}, {inf, 1}, {nan, 1}, {0.0, 0}} do
        raises("multinomial: weights must be finite and non-negative, with one above 0 in each row",
          reading(function() return row(wrong):multinomial(1, replacement) end))
      end
      raises("with one above 0 in each row", reading(function()
        return row({{1.0, 1}, {0, 0}}):multinomial(1, replacement)
      end))
      equal(row({{0.0, 3}, {2, 0}}):multinomial(1, replacement):tolist(), {{2}, {1}})
    end
    raises("multinomial: 1 draws from 0 choices", row({}).multinomial, row({}), 1, true)
  end)
  it("of multinomial suffice for draws without replacement", function()
    raises("multinomial: there are fewer weights above 0 than draws without replacement",
      reading(function() return row({{1.0, 2, 3}, {1, 0, 0}}):multinomial(2) end))
    equal(row({{1.0, 0, 0}}):multinomial(2, true):tolist(), {{1, 1}})
    equal(row({0.0, 2, 1}):multinomial(2):sort():tolist(), {2, 3})
  end)
  it("of Poisson's distribution are not negative", function()
    raises("poisson: a rate must be non-negative",
      reading(function() return tide.poisson(row {1, -1.0}) end))
    raises("poisson: a rate must be non-negative",
      reading(function() return tide.poisson(row {nan}) end))
  end)
  it("that are variances are not negative", function()
    raises("gaussian_nll_loss: a variance must be non-negative", reading(function()
      return F.gaussian_nll_loss(row {1.0, 2}, row {1.0, 2}, row {1, -1.0})
    end))
  end)
end)

describe("limits of random numbers", function(device)
  local function zeros(dtype)
    return tide.zeros({3}, {dtype = dtype or "float32", device = device})
  end
  it("are checked when the line runs", function()
    for text, call in pairs {
      ["cauchy_: sigma must be positive, got 0"] = {"cauchy_", 0, 0},
      ["cauchy_: sigma must be positive, got nan"] = {"cauchy_", 0, nan},
      ["log_normal_: std must be positive, got 0"] = {"log_normal_", 0, 0},
      ["log_normal_: std must be positive, got -1"] = {"log_normal_", 0, -1},
      ["normal_: std must be non-negative, got -1"] = {"normal_", 0, -1},
      ["normal_: std must be non-negative, got nan"] = {"normal_", 0, nan},
      ["uniform_: float32 has no range from 3 to -1"] = {"uniform_", 3, -1},
      ["uniform_: float32 has no range from 0 to inf"] = {"uniform_", 0, inf},
      ["uniform_: float32 has no range from nan to 1"] = {"uniform_", nan, 1},
      ["uniform_: float32 has no range from 0 to 1e+300"] = {"uniform_", 0, 1e300},
      ["uniform_: float32 has no range from -3e+38 to 3e+38"] = {"uniform_", -3e38, 3e38},
      ["exponential_: the rate must be positive, got 0"] = {"exponential_", 0},
      ["exponential_: the rate must be positive, got nan"] = {"exponential_", nan},
      ["geometric_: expected a probability above 0 and below 1, got 1"] = {"geometric_", 1},
      ["bernoulli_: a probability must be from 0 to 1, got 1.5"] = {"bernoulli_", 1.5},
    } do
      local x = zeros()
      raises(text, x[call[1]], x, table.unpack(call, 2))
      equal(x:tolist(), {0.0, 0.0, 0.0})
    end
    raises("uniform_: float16 has no range from 0 to 70000", zeros("float16").uniform_,
      zeros("float16"), 0, 70000)
    raises("geometric_: expected numbers, got bool", zeros("bool").geometric_, zeros("bool"), 0.5)
    raises("normal: std must be non-negative, got -1", tide.normal, 0, -1, {2})
  end)
  it("may be equal where PyTorch's may", function()
    equal(zeros():uniform_(3, 3):tolist(), {3.0, 3.0, 3.0})
    equal(zeros():normal_(2, 0):tolist(), {2.0, 2.0, 2.0})
    equal(zeros():exponential_(inf):tolist(), {0.0, 0.0, 0.0})
    close(zeros("float64"):uniform_(0, 1e308):ge(0):all():item() and 1 or 0, 1)
  end)
end)
