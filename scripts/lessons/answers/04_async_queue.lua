-- Answers to the exercises of lesson 4, async queue.
--
-- To try them:   tide lesson 4 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- A device on which nothing is done before 20 ms are over: so a read has to wait.
local slow = tide.device("sim:0")
tide.sim.configure {device = slow, launch_cost = 20e-3}

-- 1. Which of these lines wait?
heading "1. Who waits"

local lines = {
  {"x:max()", function(x) return x:max() end, false},
  {"x:max():item()", function(x) return x:max():item() end, true},
  {"#x", function(x) return #x end, false},
  {"x.dtype", function(x) return x.dtype end, false},
  {"x:tolist()", function(x) return x:tolist() end, true},
  {"if x:sum() > 3 then", function(x) if x:sum() > 3 then return true end end, true},
}
for _, line in ipairs(lines) do
  local words, fn, waits = table.unpack(line)
  local x = tide.ones(4, {device = slow}) + 1
  local start = tide.time()
  fn(x)
  local seconds = tide.time() - start
  print(("%-20s %6.1f ms"):format(words, seconds * 1e3))
  assert(not waits or seconds >= 20e-3, "a value in Lua's hands: not before the device is done")
  tide.synchronize(slow)
end
tide.sim.configure {device = slow, launch_cost = 0}

-- 2. A loop of 100 steps that keeps the largest sum so far, with 100 waits, and with one.
heading "2. The largest of many"

local x = tide.randn(100, 50, {device = device})
local largest = -math.huge
for i = 1, 100 do largest = math.max(largest, x[i]:sum():item()) end -- a number in each step

local kept = tide.full({}, -math.huge, {device = device})
for i = 1, 100 do kept = kept:maximum(x[i]:sum()) end -- tensors from tensors
print(("%.4f and %.4f"):format(largest, kept:item()))
assert(largest == kept:item())

-- 3. How long does x:sort() of a million numbers take?
heading "3. Three clocks"

local numbers = tide.randn(1000000, {device = device})
tide.synchronize(device)
local start = tide.time()
local sorted = numbers:sort()
print(("a clock that lies     %8.2f ms"):format((tide.time() - start) * 1e3))
tide.synchronize(device)
print(("one that waits        %8.2f ms"):format((tide.time() - start) * 1e3))
local result = tide.benchmark(function() return numbers:sort() end, {device = device, repeats = 3})
print(("tide.benchmark        %8.2f ms"):format(result.device_ms))
assert(sorted[1]:item() <= sorted[-1]:item())
