-- Answers to the exercises of lesson 8, throughput.
--
-- To try them:   tide lesson 8 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. Operations and numbers in a product of (m, k) and (k, n).
heading "1. Operations for each number"

local function operations(m, k, n) return 2 * m * k * n end -- m n results of k products and sums
local function moved(m, k, n) return m * k + k * n + m * n end
local n = 1
while operations(n, n, n) / moved(n, n, n) <= 100 do n = n + 1 end
print(("squares: 2 n^3 / 3 n^2 = 2 n / 3, so from n = %d on"):format(n))
assert(n == 151)

-- 2. Kernels, op by op and fused.
heading "2. Kernels"

local x = tide.ones(1000, {device = device})
local function kernels_of(fn)
  tide.synchronize()
  local before = tide.statistics().launches
  local result = fn()
  tide.synchronize()
  return tide.statistics().launches - before, result
end
local function three() return x:add(1):mul(2):add(3) end
local function with_sum() return ((x + 1) / (x + 1):sum()) * 2 end

-- If the values of a sum fit, tide continues in the same kernel after it. If they do not, a
-- second kernel has to start: the sum must be complete before the division.
for words, fn in pairs {["three ops"] = three, ["with a sum"] = with_sum} do
  local apart, one = kernels_of(function() return tide.eager(fn) end)
  local fused, other = kernels_of(fn)
  print(("%-10s  %d op by op, %d fused"):format(words, apart, fused))
  assert(fused < apart and one:allclose(other))
end

-- 3. The rate of y = x + 1 for a million numbers.
heading "3. GB/s"

local million = tide.randn(1000000, {device = device})
local result = tide.benchmark(function() return million + 1 end, {device = device, repeats = 5})
local seconds = result.device_ms / 1e3
print(("%.1f GB/s, %.2f GFLOP/s"):format(8e6 / seconds / 1e9, 1e6 / seconds / 1e9))
print("One addition for 8 bytes: memory is the limit, not arithmetic.")
assert(seconds > 0)
