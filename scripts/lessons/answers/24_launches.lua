-- Answers to the exercises of lesson 24, launches.
--
-- To run them:   tide lesson 24 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local exercises = require("tide.test").exercises

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

-- 1. Row i of x times factor i. x has shape (n, m), factors (n).
local function scaled_rows(x, factors)
  -- Start:
  -- local rows = {}
  -- for i = 1, #x do rows[i] = x[i] * factors[i] end
  -- return tide.stack(rows)
  -- Solution:
  return x * factors:unsqueeze(2) -- shape (n, 1): used for each column
  -- End
end

-- 2. The products of the matrices of a, shape (n, i, k), and b, shape (n, k, j): shape (n, i, j).
local function products(a, b)
  -- Start:
  -- local list = {}
  -- for i = 1, #a do list[i] = a[i]:matmul(b[i]) end
  -- return tide.stack(list)
  -- Solution:
  return a:matmul(b) -- it takes the first dimension of three for a batch, as a:bmm(b) does
  -- End
end

-- 3. The length to which a sequence of length n is padded.
local function padded_length(n)
  -- Solution:
  local length = 8
  while length < n do length = length * 2 end
  return length
  -- End
end

-- What checks the exercises.
--- The result of fn, how many kernels were launched, and how many plans made.
local function counted(fn, ...)
  tide.synchronize()
  local before = tide.statistics()
  local result = fn(...)
  tide.synchronize()
  local after = tide.statistics()
  return result, after.launches - before.launches, after.plans - before.plans
end

exercises {
  {"1. scaled_rows is one kernel", function(expect)
    local x = tide.randn(32, 16, {device = device})
    local factors = tide.randn(32, {device = device})
    local result, launches = counted(scaled_rows, x, factors)
    expect(tide.is_tensor(result) and result:allclose(x * factors:reshape(32, 1)),
      "row i of the result is row i of x times factor i")
    expect(launches == 1, ("it launches %d kernels: give factors a second dimension of 1, and "
      .. "multiply once"):format(launches))
  end},

  {"2. products is one kernel", function(expect)
    local a, b = tide.randn(32, 4, 8, {device = device}), tide.randn(32, 8, 3, {device = device})
    local result, launches = counted(products, a, b)
    expect(tide.is_tensor(result) and result:allclose(tide.einsum("nik,nkj->nij", a, b),
      {atol = 1e-4}), "matrix i of the result is a[i]:matmul(b[i])")
    expect(launches == 1, ("it launches %d kernels: products take batches of matrices"):format(
      launches))
  end},

  {"3. padded_length makes few plans", function(expect)
    local _, _, plans = counted(function()
      for n = 8, 64 do
        local length = padded_length(n)
        expect(math.type(length) == "integer" and length >= n,
          ("a sequence of length %d does not fit into %s"):format(n, length))
        expect(length < 2 * n, ("a sequence of length %d becomes %d long"):format(n, length))
        local _ = (tide.ones(length, 3, {device = device}) * 5 - 1):sum(1)
        tide.flush()
      end
    end)
    expect(plans <= 4, ("there are %d plans: use four lengths, each twice the one before"):format(
      plans))
  end},
}
