-- Lesson 9: relu in three ways. A loop in Lua, one core with vectors, all cores: who does most?
--
-- Run it:        tide lesson 9
-- On the cpu:    tide lesson 9 --device cpu
-- More numbers:  tide lesson 9 --count 8000000
-- Very small:    tide lesson 9 --count 4096
--
-- relu is the simplest function in deep learning: what is negative becomes 0, the rest stays. So
-- little arithmetic shows well what the rest costs: going through the numbers.
local tide = require "tide"

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  count = 1000000, -- how many numbers
}
local device, count = tide.device(options.device), options.count
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

--- Seconds of fn with all that it queued, the best of some tries, and its last result.
local function seconds_of(fn, tries)
  local best, result = math.huge, nil
  for _ = 1, tries or 5 do
    tide.synchronize()
    local start = tide.time()
    result = fn()
    tide.synchronize()
    best = math.min(best, tide.time() - start)
  end
  return best, result
end

--- Measures one way, prints its line of the table; returns its result and how many numbers it does
--- in a second.
local function measure(words, fn, tries)
  local seconds, result = seconds_of(fn, tries)
  local rate = count / seconds
  print(("  %-32s %9.3f ms %9.1f million/s %8.2f GB/s"):format(words, seconds * 1e3, rate / 1e6,
    rate * 8 / 1e9))
  return result, rate
end

-- 1. A loop in Lua --------------------------------------------------------------------------------
-- One number after the other. For each of them Lua reads its instruction, looks what type the
-- value is, compares, and puts the result into a table. The comparison is the smallest part of
-- that.
heading(("1. %d numbers, one by one in Lua"):format(count))

local x = tide.randn(count)
local numbers = x:tolist()

local function relu_in_lua()
  local result = {}
  for i = 1, count do
    local value = numbers[i]
    result[i] = value > 0 and value or 0.0
  end
  return result
end
local by_lua, loop = measure("a loop in Lua", relu_in_lua, 2)

-- 2. One core, with vectors -----------------------------------------------------------------------
-- x:relu() is one loop over memory, made of machine code for just this purpose. And it takes the
-- numbers not one by one: a core has registers that hold 4, 8 or 16 of them, and one instruction
-- works on all of these.
--
--      Lua     [ 0.3]  [-1.2]  [ 0.8]  [-0.1]     an instruction and more for each
--      vector  [ 0.3   -1.2     0.8    -0.1]      one instruction for all four
heading "2. One core, eight or sixteen at a time"

local threads = tide.get_num_threads()
tide.set_num_threads(1)
local on_one, one_core = measure("x:relu(), one thread", function() return x:relu() end)

-- 3. All cores ------------------------------------------------------------------------------------
-- Each core takes a part of the numbers. A processor has a few cores, so this gives a factor of a
-- few at most. And less than that for relu: all cores share the road to memory, and relu is mostly
-- road. (The last column counts the bytes that come and go: 4 for each number in, 4 out.)
heading(("3. All the threads that tide may use: %d"):format(threads))

tide.set_num_threads(threads)
local on_all, all_cores = measure("x:relu(), all threads", function() return x:relu() end)

assert(on_one:equal(on_all), "however many threads: the same numbers to the last bit")
assert(tide.tensor(by_lua):equal(on_all), "and the same as Lua's")
-- Lua takes tens of nanoseconds for each number, a core less than one.
assert(count < 1000000 or one_core > 5 * loop, "at least five times as many in a second")
print(("One core does %.0f times what the loop does, all threads %.1f times that."):format(
  one_core / loop, all_cores / one_core))

-- More arithmetic for each number, and the cores count for more: here a hundred operations where
-- relu has one.
local function much() -- ten times a sine, each of them ten operations or so
  local y = x
  for _ = 1, 10 do y = y:sin() end
  return y
end
tide.set_num_threads(1)
local slow, much_on_one = measure("ten sines, one thread", much, 3)
tide.set_num_threads(threads)
local quick, much_on_all = measure("ten sines, all threads", much, 3)
assert(slow:equal(quick))
print(("With more arithmetic all threads do %.1f times what one does."):format(
  much_on_all / much_on_one))
print("(Other programs want the cores, too: on a busy machine that is less than you would think.)")

-- 4. A device with thousands of lanes -------------------------------------------------------------
-- A GPU is the same idea, carried on. It has no clever cores that guess what comes next, but many
-- simple lanes that all do the same instruction, and a road to its memory that is ten times wider.
--
--      Lua loop      one lane, and most of its time is not spent on your numbers
--      a core        4 to 16 lanes, some operations with each beat
--      a processor   a handful to a hundred cores of that kind
--      a GPU         thousands of lanes, which need enough numbers to work on
heading("4. On " .. tostring(device))

local there = x:to(device)
local on_device, far = measure("x:relu() on " .. tostring(device), function() return there:relu() end)
-- Is the way there worth it for one relu? The road costs more than the work: lesson 12.
measure("there, relu, and back", function() return x:to(device):relu():to("cpu") end)
assert(on_device:cpu():equal(on_all), "the same numbers there")
if device.type == "sim" then
  print("  (A simulated device computes on one core of this processor, not at a GPU's speed.)")
end

-- All of them side by side, in a scale where a step up is ten times as many.
tide.plot.bar({"Lua", "one core", "all cores", tostring(device)}, {loop, one_core, all_cores, far}, {
  title = "numbers in a second", yscale = "log",
}):show()

-- 5. Relu made of other ops -----------------------------------------------------------------------
-- relu can be written in other ways: a mask of what is positive, times x. That is three ops: the
-- mask of true and false, ones and zeros made of it, the product. Op by op (eager) each goes
-- through memory by itself. Otherwise tide fuses them into one kernel: the mask lives in a
-- register and is never written down. Kernels can be counted, so no clock is needed.
heading "5. Three ops in one kernel"

--- The number of kernels that fn starts on the device, and its result.
local function kernels_of(fn)
  tide.synchronize()
  local before = tide.statistics().launches
  local result = fn()
  tide.synchronize()
  return tide.statistics().launches - before, result
end

local function by_mask() return there * there:gt(0) end
local function at_once() return there:relu() end
local apart, result_apart = kernels_of(function() return tide.eager(by_mask) end)
local fused, result_fused = kernels_of(by_mask)
local single = kernels_of(at_once)
print(("  mask times x, op by op   %d kernels"):format(apart))
print(("  mask times x, fused      %d kernel"):format(fused))
print(("  x:relu()                 %d kernel"):format(single))
assert(apart == 3 and fused == 1 and single == 1)
assert(result_apart:equal(result_fused) and result_fused:equal(on_device))

-- 6. The mistake to avoid -------------------------------------------------------------------------
-- A loop in Lua over a *tensor* is the slowest way of all: each x[i]:item() asks the device for
-- one number and waits for it. Take the numbers out once (tolist), or better, leave them where
-- they are.
heading "6. Number by number out of a tensor"

local few = there:narrow(1, 1, 100)
if device.type == "sim" then
  tide.sim.configure {device = device, copy_latency = 1e-3}
  print("Every copy from " .. device .. " takes 1 ms or more now: that time is simulated.")
end
local by_item, by_list = {}, nil
local item_seconds = seconds_of(function()
  for i = 1, #few do by_item[i] = math.max(0.0, few[i]:item()) end
end, 1)
local list_seconds = seconds_of(function() by_list = few:relu():tolist() end, 3)
print(("  100 times item()   %9.3f ms"):format(item_seconds * 1e3))
print(("  relu and tolist()  %9.3f ms"):format(list_seconds * 1e3))
for i = 1, 100 do assert(by_item[i] == by_list[i]) end
assert(device.type ~= "sim" or item_seconds >= 100 * 1e-3, "a hundred copies, 1 ms each")

print [[

Exercises
---------
1. Write a leaky relu (a tenth of x where x is negative) as a loop in Lua, and with tensor ops only:
   tide.where(condition, a, b) takes a where the condition is true, else b. Are the results equal?
2. How many kernels does (x:relu() + 1):sqrt():sum() start, op by op and fused?
3. Which is the smallest count for which x:relu() with all threads is quicker than with one thread?
   Why are more threads slower below it?

`tide lesson 9 --answers` shows answers.]]
