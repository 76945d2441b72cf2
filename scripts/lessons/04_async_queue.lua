-- Lesson 4: the queue. Your script and the device work at the same time: who waits for whom?
--
-- Run it:        tide lesson 4
-- On the cpu:    tide lesson 4 --device cpu
-- Very small:    tide lesson 4 --size 64 --products 40
--
-- A line like `c = a:matmul(b)` computes nothing. It records the op, sends the record
-- to the device's queue and continues with the next line. That is why a GPU can be busy while your
-- script already prepares the next step, and it is why naive timings lie.
local tide = require "tide"

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  size = 768,      -- rows and columns of the matrices
  products = 200,  -- how many of them are queued
}
local device = tide.device(options.device)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local function ms(seconds) return ("%.1f ms"):format(seconds * 1e3) end

--- Calls fn and returns the seconds that the script spent in it; `tide.time` reads a clock and
--- waits for nothing.
local function seconds_of(fn)
  local start = tide.time()
  fn()
  return tide.time() - start
end

-- 1. Queueing is quick ----------------------------------------------------------------------------
local size = options.size
heading(("1. %d products of two matrices of %d x %d"):format(options.products, size, size))

local a = tide.randn(size, size, {device = device})
local b = tide.randn(size, size, {device = device})
a:matmul(b):sum():item() -- once before the clock runs: the first use of anything loads libraries

tide.synchronize(device)
tide.reset_peak_memory_stats(device)
local before = tide.memory_allocated(device)

local last
local start, waits_before = tide.time(), tide.wait_count()
for _ = 1, options.products do last = a:matmul(b) end
local queued = tide.time() - start
-- How long a thing takes depends on what else this machine does. Whether the script waited does not:
-- wait_count counts.
assert(tide.wait_count() == waits_before, "queueing waits for nothing")
tide.synchronize(device)
local done = tide.time() - start

print(("time to queue them:    %s"):format(ms(queued)))
print(("time to the results:   %s"):format(ms(done)))
print(("the script was busy for %.1f %% of it and free for the rest"):format(100 * queued / done))

-- Two hundred results do not need the memory of two hundred results: `last` is overwritten in each
-- iteration, and unreferenced memory is released in the order of the queue, while it runs.
local one = size * size * 4
local peak = tide.max_memory_allocated(device) - before
print(("memory at the peak:    %.1f results of %.1f MB each"):format(peak / one, one / 2 ^ 20))
-- (Lua's collector comes round after some 64 MB at the latest; smaller results than these may all be
-- there until then. Lesson 13 is about that.)
assert(peak < math.max(options.products / 4 * one, 72 * 2 ^ 20), "a few at a time, not hundreds")

-- The queue as a picture. tide.pending counts what was queued and is not done yet; it waits for
-- nothing, so the script can look while it queues, and afterwards, while the device works it off.
local times, lengths = {}, {}
start = tide.time()
local function look()
  times[#times + 1], lengths[#lengths + 1] = (tide.time() - start) * 1e3, tide.pending()
end
for _ = 1, math.min(options.products, 20) do
  last = a:matmul(b)
  look()
end
tide.flush() -- the last notes go to the device, too
while lengths[#lengths] > 0 do
  tide.sleep(1e-3)
  look()
end
tide.plot.line(times, lengths, {title = "products in the queue", xlabel = "ms", ylabel = "not done"}):show()
assert(lengths[#lengths] == 0, "all are done in the end")

-- 2. What forces the script to wait ---------------------------------------------------------------
-- As long as you only compute tensors from tensors, the script never waits. As soon as Lua needs a number
-- (to print it, to compare it, to write it to a file) the script waits until the device gets
-- there.
heading "2. What makes the script wait"

local function queue_some()
  local c = a
  for _ = 1, 10 do c = (a:matmul(b) + c) * 1e-3 end
  return c
end

local waits = {
  {"c:sum()          (another tensor)", function(c) return c:sum() end, false},
  {"c.shape          (known at once)", function(c) return c.shape end, false},
  {"c:sum():item()   (a Lua number)", function(c) return c:sum():item() end, true},
  {"tostring(c)      (what print does)", function(c) return tostring(c) end, true},
  {'c:to("cpu")      (to the host)', function(c) return c:copyto("cpu"):tolist() end, true},
  {"tide.synchronize (on purpose)", function() tide.synchronize(device) end, true},
}
local work = seconds_of(function()
  queue_some()
  tide.synchronize(device)
end)
for _, row in ipairs(waits) do
  local words, read, must_wait = table.unpack(row)
  local c = queue_some()
  local finished = tide.Event {device = device} -- a mark in the queue, after the work: lesson 11
  finished:record()
  local before_it = tide.wait_count()
  local spent = seconds_of(function() read(c) end)
  print(("  %-36s %9s   %s"):format(words, ms(spent), must_wait and "waited" or "did not wait"))
  if must_wait then
    assert(finished:query(), "the device has come to the mark")
  else
    assert(tide.wait_count() == before_it, words)
  end
  tide.synchronize(device)
end
print(("(the work before each of them takes %s)"):format(ms(work)))

-- 3. A hundred thousand small steps ---------------------------------------------------------------
-- Notes are collected, and flushed some at a time: such a portion is called a window. The small
-- steps of a window become one kernel (a program that the device runs), so even tiny ops are cheap.
heading "3. x = x + 1, 100 000 times"

local x = tide.zeros(1, {device = device})
local recording = seconds_of(function()
  for _ = 1, 100000 do x = x + 1 end
end)
local value
local reading = seconds_of(function() value = x:item() end)
print(("x is %d"):format(value))
print(("queueing took %s (%.0f ns a step)"):format(ms(recording), recording / 100000 * 1e9))
print(("the last value came %s later"):format(ms(reading)))
assert(value == 100000)

-- 4. A timer that lies, and one that does not -----------------------------------------------------
-- Measuring "how long does matmul take" by reading a clock before and after is the classic mistake:
-- that measures how long it takes to write the note. (A GFLOP/s is a billion operations with
-- numbers in a second; lesson 8 is about them.)
heading "4. A timer that lies"

local repeats = 20
local function products()
  for _ = 1, repeats do last = a:matmul(b) end
end

waits_before = tide.wait_count()
local lie = seconds_of(products)
assert(tide.wait_count() == waits_before, "the first clock stopped when the notes were written")
tide.synchronize(device)

local truth = math.huge
for _ = 1, 3 do -- the best of three: other programs may have wanted the machine meanwhile
  truth = math.min(truth, seconds_of(function()
    products()
    tide.synchronize(device)
  end))
end
local speed = 2 * size ^ 3 * repeats / 1e9
print(("without waiting: %9s, so %8.0f GFLOP/s: too good to be true"):format(ms(lie), speed / lie))
print(("with waiting:    %9s, so %8.0f GFLOP/s"):format(ms(truth), speed / truth))

-- 5. The right tool -------------------------------------------------------------------------------
-- benchmark runs a function a few times, waits where it must, and keeps the kinds of time apart.
heading "5. tide.benchmark"

local result = tide.benchmark(products, {device = device, repeats = 5})
print(result)
print(("  host time   %9.2f ms   the script writes its notes"):format(result.host_ms))
print(("  device time %9.2f ms   the device computes"):format(result.device_ms))
print(("  peak memory %9.2f MB"):format(result.peak_bytes / 2 ^ 20))
assert(result.runs == 5, "five runs, and some before them to warm up")

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
1. Which of these lines wait: x:max(), x:max():item(), #x, x.dtype, x:tolist(), if x:sum() > 3 then?
   tide.wait_count() tells. Try them on a device whose kernels take 20 ms to start.
2. Write a loop of 100 steps that keeps the largest sum so far, with a wait in each step; then one
   with a single wait at the end.
3. Measure how long x:sort() of a million numbers takes: with a clock that lies, with one that does
   not, and by tide.benchmark.

`tide lesson 4 --answers` shows answers.]]
