-- Answers to the exercises of lesson 12, cpu or gpu.
--
-- To try them:   tide lesson 12 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. A device ten times faster, and 1 ms for the way: from which t on is it worth while?
heading "1. The crossover"

-- There it takes t / 10 + 1. That is less than t when 0.9 t > 1.
local function there(t) return t / 10 + 1 end
local crossover = 1 / 0.9
print(("from %.2f ms on"):format(crossover))
for _, t in ipairs {1, 2, 100} do
  print(("%3d ms on the cpu are %5.1f ms there"):format(t, there(t)))
  assert((there(t) < t) == (t > crossover))
end

-- 2. 100 matrices of 8 x 8 times the same matrix, in three ways.
heading "2. The same products in three ways"

local many = tide.randn(100, 8, 8, {device = device})
local one = tide.randn(8, 8, {device = device})
local singles = many:unbind(1)
local ways = {
  {"a loop", function()
    local results = {}
    for i = 1, 100 do results[i] = singles[i]:matmul(one) end
    return results
  end},
  {"batched", function() return many:matmul(one) end},
  {"one product", function() return many:reshape(800, 8):matmul(one):reshape(100, 8, 8) end},
}

-- 3. Count the kernels of these three.
heading "3. Their kernels"

local kernels, results = {}, {}
for i, way in ipairs(ways) do
  tide.synchronize()
  local before = tide.statistics().launches
  results[i] = way[2]()
  tide.synchronize()
  kernels[i] = tide.statistics().launches - before
  print(("%-12s %3d kernels"):format(way[1], kernels[i]))
end
results[1] = tide.stack(results[1])
for i = 2, 3 do assert(results[i]:allclose(results[1], {rtol = 1e-4, atol = 1e-5})) end
assert(kernels[1] >= 100 and kernels[2] <= 2 and kernels[3] <= 2)
