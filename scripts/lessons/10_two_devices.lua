-- Lesson 10: two devices. How to keep both busy, and how data gets from one to the other.
--
-- Run it:        tide lesson 10
-- On the cpu:    tide lesson 10 --device cpu
--
-- Every device has a queue of its own (lesson 4), so the script can give work to one and go on to
-- the next before the first has finished. Nothing else is needed to use two devices at once; the
-- art is not to wait at the wrong place.
local tide = require "tide"
local F = tide.nn.functional

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  products = 10,  -- how many matrix products each device gets
}

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local function ms(seconds) return ("%.1f ms"):format(seconds * 1e3) end

--- Seconds of fn with all that it queued, the best of some tries.
local function seconds_of(fn)
  local best = math.huge
  for _ = 1, 5 do
    tide.synchronize()
    local start = tide.time()
    fn()
    tide.synchronize()
    best = math.min(best, tide.time() - start)
  end
  return best
end

-- 1. Which two ------------------------------------------------------------------------------------
heading "1. Which two devices"

local first = tide.device(options.device)
if first.type == "cpu" then
  print("You asked for the cpu. This lesson needs two memories: it uses sim:0 and sim:1.")
  first = tide.device("sim:0")
elseif first.type == "cuda" and tide.cuda.device_count() < 2 then
  print("There is one GPU only. This lesson needs two devices: it uses sim:0 and sim:1.")
  first = tide.device("sim:0")
end
local second = tide.device(first.type .. ":" .. (first.index == 0 and 1 or 0))
print("They are " .. first .. " and " .. second .. ".")

local launch_cost, rate = 4e-3, 1e9
if first.type == "sim" then
  -- Two sims compute on the same processor as this script. For times that do not depend on how many
  -- cores it has free, every kernel here takes 4 ms to start, and every copy goes at 1 GB/s.
  for _, device in ipairs {first, second} do
    tide.sim.configure {device = device, launch_cost = launch_cost, bytes_per_second = rate}
  end
  print("Starting a kernel takes 4 ms, copies go at 1 GB/s: these times are simulated.")
end

-- 2. In turn and at once --------------------------------------------------------------------------
heading(("2. %d products on each: in turn and at once"):format(options.products))

-- Matrices so big that a GPU needs 2 ms for a product. A sim takes longer to start it anyway.
local size = 128
local function product_on_first()
  local b = tide.ones(size, size, {device = first})
  return b:matmul(b)
end
while first.type == "cuda" and size < 8192 and seconds_of(product_on_first) < 2e-3 do
  size = size * 2
end
local a = {}
for _, device in ipairs {first, second} do a[device] = tide.randn(size, size, {device = device}) end
print(("a product of two matrices of %d x %d, again and again"):format(size, size))

--- Queues products on a device, between two events. An event is a mark in the queue; the device
--- notes the time when it gets there.
local function queue_products(device)
  local from = tide.Event {device = device, timing = true}
  local to = tide.Event {device = device, timing = true}
  from:record()
  local c
  for _ = 1, options.products do c = a[device]:matmul(a[device]) end
  to:record()
  return {device = device, from = from, to = to, result = c}
end

local function in_turn()
  local one = queue_products(first)
  tide.synchronize(first) -- here the script waits, and `second` has nothing to do
  local other = queue_products(second)
  tide.synchronize(second)
  return one, other
end

local function at_once()
  local one = queue_products(first)
  local other = queue_products(second)
  tide.synchronize(first)
  tide.synchronize(second)
  return one, other
end

--- Runs one of the two three times. Of the shortest run: how long it took in all, and for each
--- device when it began and ended, in ms.
local function measure(run)
  local best = {time = math.huge}
  for _ = 1, 3 do
    local found = {time = 0}
    local one, other = run()
    for i, work in ipairs {one, other} do
      found[i] = {work.device, one.from:elapsed_time(work.from), one.from:elapsed_time(work.to)}
      found.time = math.max(found.time, found[i][3])
    end
    if found.time < best.time then best = found end
  end
  return best
end

at_once() -- once before the clock runs: the first use of anything loads libraries
local turns, together = measure(in_turn), measure(at_once)

-- A timeline: a line for each time that a device was busy.
local timeline = tide.plot.figure {title = "when each was busy", xlabel = "ms", size = {640, 240}}
local names = {} -- of the rows, the lowest first
for _, row in ipairs {{"at once", together}, {"in turn", turns}} do
  local name, found = table.unpack(row)
  for i = 2, 1, -1 do
    local device, from, to = table.unpack(found[i])
    names[#names + 1] = ("%s, %s"):format(name, tostring(device))
    timeline:line({from, to}, {#names, #names}, {
      linewidth = 10, color = i == 1 and "#1f77b4" or "#ff7f0e",
    })
  end
end
timeline:set {yticks = names, ylim = {0.5, 4.5}}
timeline:show()
turns, together = turns.time / 1e3, together.time / 1e3
print(("in turn %s, at once %s: %.2f of it"):format(ms(turns), ms(together), together / turns))
local speed = 2 * size ^ 3 * 2 * options.products / together -- below 1 GFLOP/s the device is imitated
assert(together < 0.75 * turns or (first.type == "cuda" and speed < 1e9),
  "both at once take about half of both in turn")

-- The wait need not be called synchronize. `print(loss)` or `c:sum():item()` between the two halves
-- does the same: it waits for the first device before the second one has been given anything.
local waits = tide.wait_count()
local one = queue_products(first)
assert(tide.wait_count() == waits, "queueing does not wait")
local number = one.result:sum():item()
assert(tide.wait_count() > waits, "reading a number does")
local _ = queue_products(second)
print(("Reading a number (%.1f) before the second device got its work: that is `in turn`."):format(
  number))
tide.synchronize()

-- 3. From one to the other ------------------------------------------------------------------------
-- `x:to(other)` between two accelerators is a peer copy: it goes straight from memory to memory,
-- where the machine has a road for that, and the host does not see it.
heading "3. Peer copies"

local x = tide.randn(1024, 1024):to(first) -- 4 MB of float32
local megabytes = x.nbytes / 2 ^ 20

local straight = seconds_of(function() return x:to(second) end)
local by_host = seconds_of(function() return x:to("cpu"):to(second) end)
print(("  %.0f MB from %s to %s"):format(megabytes, tostring(first), tostring(second)))
print(("    straight        %9s   %5.1f GB/s"):format(ms(straight), x.nbytes / straight / 1e9))
print(("    over the host   %9s   %5.1f GB/s"):format(ms(by_host), x.nbytes / by_host / 1e9))
assert(x:to(second):cpu():equal(x:cpu()), "the same numbers")
if first.type == "sim" then
  assert(straight >= x.nbytes / rate, "at the rate that we set, not faster")
  assert(by_host >= 2 * x.nbytes / rate, "two copies take twice as long as one")
end

-- Only the device that needs a peer copy waits for it. Below, a product on the first device
-- goes over to the second and is used there: all of it is queued before any of it is done.
waits = tide.wait_count()
local start = tide.time()
local c = a[first]:matmul(a[first])
local d = c:to(second)
local e = d:matmul(a[second])
local queued = tide.time() - start
assert(tide.wait_count() == waits)
tide.synchronize(second)
local done = tide.time() - start
print(("product, copy, product: queued in %s, done after %s"):format(ms(queued), ms(done)))
assert(e.device == second)
-- Only one of them has to come before the other, so only the second queue was held up.
assert(first.type ~= "sim" or done >= 2 * launch_cost, "one after the other")

-- Without the copy it is an error that names both places.
local ok, message = pcall(function() return c:matmul(a[second]) end)
assert(not ok and message:find(tostring(first), 1, true) and message:find(tostring(second), 1, true))
print("without the copy:  " .. message)

-- 4. One batch, two devices -----------------------------------------------------------------------
-- What two devices are mostly used for: each has a copy of the weights and works on half of the
-- batch. The gradients of the halves are brought together, and their mean is the gradient of the
-- whole batch. That is data parallel training.
heading "4. Half a batch each"

tide.manual_seed(1)
local inputs, targets = tide.randn(64, 8), tide.randn(64, 1)
local weights = tide.randn(1, 8)

--- The gradient of the mean squared error for some samples, computed on `device`.
local function gradient(device, samples, wanted)
  local w = weights:to(device):requires_grad_(true)
  F.mse_loss(F.linear(samples:to(device), w), wanted:to(device)):backward()
  return w.grad
end

local whole = gradient(first, inputs, targets)
-- Both halves are queued before anything is read, so they run at once.
local half = gradient(first, inputs:narrow(1, 1, 32), targets:narrow(1, 1, 32))
local other_half = gradient(second, inputs:narrow(1, 33, 32), targets:narrow(1, 33, 32))
assert(half.device == first and other_half.device == second)

local mean = (half + other_half:to(first)) / 2 -- the peer copy of data parallel training
print(whole)
print(mean)
assert(mean:allclose(whole, {rtol = 1e-4, atol = 1e-6}), "the same but for rounding")
print("Two halves and one small copy give the gradient of the whole.")

print("\nAll of this was true on " .. tostring(first) .. " and " .. tostring(second) .. ".")

print [[

Exercises
---------
1. Bring the mean of two tensors on two devices to the first of them, once so that a whole tensor
   travels and once so that one number does.
2. Do section 4 with three parts on two devices: 32 samples on the first, 16 and 16 on the second.
   Which weights must the three gradients have so that their sum is that of the whole?
3. Put an event at the end of each device's work and ask it with query() whether it is done: count
   how often the script could have done something else meanwhile.

`tide lesson 10 --answers` shows answers.]]
