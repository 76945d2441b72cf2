-- Lesson 12: cpu or GPU? When is it worth while to bring work to an accelerator, and when not?
--
-- Run it:        tide lesson 12
-- On the cpu:    tide lesson 12 --device cpu
--
-- A GPU computes faster than the processor. But the numbers have to get there and back, and every
-- kernel (a program that the device runs) has to be started: work has to be big enough to pay for
-- that. This lesson finds out how big.
local tide = require "tide"

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  products = 1000,  -- how many small products section 3 makes
}

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

--- "123.4 us" or "12.34 ms".
local function duration(seconds)
  if seconds < 1e-3 then return ("%.1f us"):format(seconds * 1e6) end
  return ("%.2f ms"):format(seconds * 1e3)
end

--- Seconds that fn takes with all the work that it queued. It is called some times in a row, so that
--- the script's own waiting counts for little; the best of a few tries, of fewer if they take long.
local function seconds_of(fn)
  local count, best, begin = 1, math.huge, tide.time()
  for try = 0, 5 do
    tide.synchronize()
    local start = tide.time()
    for _ = 1, count do fn() end
    tide.synchronize()
    local seconds = (tide.time() - start) / count
    if try == 0 then count = math.max(1, math.min(20, 2e-3 // seconds)) end
    best = math.min(best, seconds)
    if tide.time() - begin > 0.5 then break end
  end
  return best
end

local device = tide.device(options.device)
if device.type == "cpu" then
  print("You asked for the cpu. This lesson compares it with another device: it uses sim:0.")
  device = tide.device("sim:0")
end
local simulated = device.type == "sim"

local launch_cost, latency, rate = 10e-6, 10e-6, 8e9
if simulated then
  tide.sim.configure {
    device = device, launch_cost = launch_cost, copy_latency = latency, bytes_per_second = rate,
  }
  print [[
sim:0 has the costs of a GPU: starting a kernel takes 10 us, a copy 10 us and 1 ms for 8 MB. These
times are simulated. It has no fast arithmetic: it computes on one core of this very processor. So
what this lesson can check here is what an accelerator costs, not what it gains. On a machine with
a GPU it shows both.]]
end

-- 1. Sizes ----------------------------------------------------------------------------------------
-- The same product on both, with all that belongs to it: two matrices go over, one comes back.
heading("1. A product of two matrices of n x n: cpu against " .. tostring(device))

print("    n         cpu   there and back    product      in all   where the time goes")
local rows = {}
local n = 16
repeat
  local a, b = tide.randn(n, n), tide.randn(n, n) / n ^ 0.5
  local far_a, far_b = a:to(device), b:to(device)
  local c = a
  local row = {
    n = n,
    cpu = seconds_of(function() c = a:matmul(b) end),
    product = seconds_of(function() c = far_a:matmul(far_b) end),
    all = seconds_of(function() a = a:to(device):matmul(b:to(device)):to("cpu") end),
    -- One over and one back, and half of that for the second matrix.
    transfers = 1.5 * seconds_of(function() a = a:to(device):to("cpu") end),
  }
  -- What two matrices over and one back take if nothing disturbs, and one kernel to start.
  row.least = 3 * (latency + n * n * 4 / rate) + launch_cost
  rows[#rows + 1] = row
  local share = row.transfers / (row.transfers + row.product)
  local picture = ("t"):rep(math.floor(share * 20 + 0.5))
  print(("%5d %11s %16s %10s %11s   %-20s  %s"):format(n, duration(row.cpu), duration(row.transfers),
    duration(row.product), duration(row.all), picture .. ("p"):rep(20 - #picture),
    not simulated and row.all < row.cpu and "faster there" or ""))
  n = n * 2
until n > 256 and (row.product > 0.01 or row.cpu > 0.1) or n > 8192 -- on a busy machine all takes long
print("(t: transfers, p: the product and its start)")

--- A column of the table.
local function column(name)
  local values = {}
  for i, row in ipairs(rows) do values[i] = row[name] end
  return values
end
tide.plot.line(column "n", column "cpu", {
  label = "cpu", title = "seconds for a product of n x n", xlabel = "n", xscale = "log", yscale = "log", marker = "o",
}):line(column "n", column "product", {label = "product there", marker = "o", linestyle = "--"})
  :line(column "n", column "all", {label = "with transfers", marker = "o"}):legend "upper left":show()

local smallest, biggest = rows[1], rows[#rows]
local function transfer_share(row) return row.transfers / (row.transfers + row.product) end
-- Data grow with n^2, operations with n^3: with every doubling there are twice as many operations
-- for each number that travels.
print(("operations for each number that travels: %.1f for n = %d, %.1f for n = %d"):format(
  2 * smallest.n / 3, smallest.n, 2 * biggest.n / 3, biggest.n))
print(("share of the transfers in the time: %.0f %% for n = %d, %.0f %% for n = %d"):format(
  100 * transfer_share(smallest), smallest.n, 100 * transfer_share(biggest), biggest.n))
if simulated then
  for _, row in ipairs(rows) do assert(row.all >= row.least, "never less than what it costs") end
end

-- 2. The crossover --------------------------------------------------------------------------------
heading "2. The crossover"

if simulated then
  print("sim:0 computes as this processor does, so there is none to be found. But where there cannot")
  print("be one, on any device with these costs, can be said:")
else
  local crossover
  for i = #rows, 1, -1 do
    if rows[i].all >= rows[i].cpu then break end
    crossover = rows[i].n
  end
  print(crossover and ("From n = %d on, %s is faster although the data have to travel."):format(
    crossover, tostring(device)) or "The cpu is faster at all of these sizes.")
  -- Below 1 GFLOP/s the device is imitated.
  assert(crossover or 2 * biggest.n ^ 3 / biggest.product < 1e9, "big products are worth the way")
end

-- Even a device that computes in no time at all has to be paid for: transfers and the start of the
-- kernel. If the cpu is done by then, no accelerator can win.
if simulated then
  for _, row in ipairs(rows) do
    print(("  n = %-5d cpu %10s   costs alone %10s   %s"):format(row.n, duration(row.cpu),
      duration(row.least), row.cpu < row.least and "stay on the cpu" or "a fast device may win"))
  end
end

-- The fix is to transfer less often. Ten products in a row, with the data brought over once:
local size = biggest.n // 4
local a, b = tide.randn(size, size), tide.randn(size, size)
local each = seconds_of(function()
  local c = a
  for _ = 1, 10 do c = c:to(device):matmul(b:to(device)):mul(0.1):to("cpu") end
  return c
end)
local once = seconds_of(function()
  local c, d = a:to(device), b:to(device)
  for _ = 1, 10 do c = c:matmul(d):mul(0.1) end
  return c:to("cpu")
end)
print(("ten products of n = %d in a row:"):format(size))
print(("  there and back each time      %10s"):format(duration(each)))
print(("  there once, and back once     %10s"):format(duration(once)))
if simulated then
  local trip = latency + size * size * 4 / rate
  assert(each >= 30 * trip, "thirty transfers")
  assert(once >= 3 * trip, "three")
end

-- 3. Many small ones ------------------------------------------------------------------------------
-- Small products come in crowds: one for each head of an attention layer, one for each sample. If
-- there are a thousand, do not start a thousand kernels: put the matrices into one tensor, and
-- matmul multiplies all of them in one kernel.
local count, small = options.products, 16
heading(("3. %d products of %d x %d: one by one, and batched"):format(count, small, small))

local left, right = tide.randn(count, small, small), tide.randn(count, small, small)

--- Prints seconds and kernels for all products on a device, one by one and batched. Returns the seconds of the first.
local function compare(where)
  local many, others = left:to(where), right:to(where)
  local singles, single_others = many:unbind(1), others:unbind(1)
  local loop, batched = {}, {}
  local function by_loop()
    local results = {}
    for i = 1, count do results[i] = singles[i]:matmul(single_others[i]) end
    loop.results = results
  end
  local function by_batch() batched.results = many:matmul(others) end
  for found, fn in pairs {[loop] = by_loop, [batched] = by_batch} do
    fn()
    tide.synchronize()
    local before = tide.statistics().launches
    fn()
    tide.synchronize()
    found.kernels = tide.statistics().launches - before
    found.seconds = seconds_of(fn)
  end
  print(("  %-7s one by one  %10s  %5d kernels"):format(tostring(where), duration(loop.seconds),
    loop.kernels))
  print(("          batched     %10s  %5d kernel%s"):format(duration(batched.seconds),
    batched.kernels, batched.kernels == 1 and "" or "s"))
  assert(tide.stack(loop.results):allclose(batched.results, {rtol = 1e-4, atol = 1e-5}))
  assert(loop.kernels >= count and batched.kernels < 10)
  return loop.seconds
end

compare("cpu")
local loop = compare(device)
if simulated then assert(loop >= count * launch_cost, "a thousand starts") end
print("The same numbers, the same arithmetic; what differs is how often something had to be started.")

print("\nAll of this was true on " .. tostring(device) ..
  (simulated and ", as far as costs go. What a GPU gains, only a GPU shows." or "."))

print [[

Exercises
---------
1. A device multiplies ten times faster than the cpu, but the way there and back takes 1 ms. The
   cpu takes t ms. From which t on is it worth while? Check your formula for t = 1, 2 and 100.
2. Multiply a batch of 100 matrices of 8 x 8 with one and the same matrix: with a loop, with one
   batched product, and with one product of two matrices after a reshape. Compare the results.
3. Count the kernels of these three.

`tide lesson 12 --answers` shows answers.]]
