-- Answers to the exercises of lesson 9, relu in three ways.
--
-- To try them:   tide lesson 9 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"

local options = tide.args {device = "cpu"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. Write a leaky relu as a loop in Lua, and with tensor ops only. Are the results equal?
heading "1. A leaky relu"

local x = tide.randn(1000, {device = device})
local by_ops = tide.where(x:gt(0), x, x * 0.1)

local by_loop = {}
for i, value in ipairs(x:tolist()) do by_loop[i] = value > 0 and value or value * 0.1 end

-- Nearly: Lua multiplies numbers of 64 bits, the tensor numbers of 32, where 0.1 is rounded. But
-- the result becomes a number of 32 bits in the end, too, and there most of them meet again.
local differences = tide.tensor(by_loop, {device = device}):ne(by_ops):sum():item()
print(("%d of 1000 differ in their last bit"):format(differences))
assert(tide.tensor(by_loop, {device = device}):allclose(by_ops))

-- 2. How many kernels does (x:relu() + 1):sqrt():sum() start, op by op and fused?
heading "2. Kernels, counted"

local function kernels_of(fn)
  tide.synchronize()
  local before = tide.statistics().launches
  local result = fn()
  tide.synchronize()
  return tide.statistics().launches - before, result:item()
end
local function chain() return (x:relu() + 1):sqrt():sum() end
local apart, value_apart = kernels_of(function() return tide.eager(chain) end)
local fused, value_fused = kernels_of(chain)
print(("%d op by op, %d fused"):format(apart, fused))
assert(apart == 4 and fused < apart and math.abs(value_apart - value_fused) < 1e-3)

-- 3. Which is the smallest count for which all threads are quicker than one?
heading "3. When more threads pay"

-- Waking a thread and waiting for it takes some microseconds: as long as one core needs for ten
-- thousand numbers. tide knows that and gives little work to one thread only, whatever you allow.
local threads = tide.get_num_threads()

local function microseconds(count, allowed)
  tide.set_num_threads(allowed)
  local y = tide.randn(count)
  local best = math.huge
  for _ = 1, 10 do
    tide.synchronize()
    local start = tide.time()
    local _ = y:relu()
    tide.synchronize()
    best = math.min(best, tide.time() - start)
  end
  tide.set_num_threads(threads)
  return best * 1e6
end
for exponent = 10, 20, 2 do
  local count = 1 << exponent
  print(("%8d numbers: %8.1f us with one thread, %8.1f us with %d"):format(count,
    microseconds(count, 1), microseconds(count, threads), threads))
end
assert(tide.get_num_threads() == threads)
