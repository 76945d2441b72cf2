-- Lesson 8: throughput. How fast is this device, how fast could it be, what does "100 % busy" mean?
--
-- Run it:        tide lesson 8
-- On the cpu:    tide lesson 8 --device cpu
--
-- The speed of arithmetic is counted in FLOP/s: floating-point operations per second. A GFLOP/s is
-- a billion of them in a second, a TFLOP/s is a thousand GFLOP/s.
local tide = require "tide"

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  steps = 2048,  -- how often x = x + 1 is done
}
local device = tide.device(options.device)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

--- "12.3 G" and the like: three digits and a prefix.
local function scaled(value)
  for _, prefix in ipairs {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} do
    if value >= prefix[1] then return ("%.1f %s"):format(value / prefix[1], prefix[2]) end
  end
  return ("%.1f "):format(value)
end

--- "123.4 us" or "12.34 ms".
local function duration(seconds)
  if seconds < 1e-3 then return ("%.1f us"):format(seconds * 1e6) end
  return ("%.2f ms"):format(seconds * 1e3)
end

--- Seconds from the call of fn to the end of the work that it queued; the best of a few tries, as
--- other programs can only make it slower.
local function seconds_of(fn, tries)
  local best = math.huge
  for _ = 1, tries or 3 do
    tide.synchronize(device)
    local start = tide.time()
    fn()
    tide.synchronize(device)
    best = math.min(best, tide.time() - start)
  end
  return best
end

if device.type == "sim" then
  -- A real accelerator needs some microseconds to start a kernel (one program that it runs over
  -- many elements). A simulated one starts at once unless it is configured otherwise.
  tide.sim.configure {device = device, launch_cost = 10e-6}
  print("Starting a kernel costs 10 us here, as on many a real GPU: that time is simulated.")
end

-- 1. Units times clock ----------------------------------------------------------------------------
-- The peak of a device need not be measured: it is the number of its arithmetic units times its
-- clock rate. Each unit finishes one instruction per cycle.
heading "1. The peak: units x clock"

--- What /proc/cpuinfo says about the first processor, by name. Empty where there is none.
local function processor_facts()
  local facts = {}
  local file = io.open("/proc/cpuinfo")
  for line in file and file:lines() or function() end do
    local name, value = line:match("^(.-)%s*: (.*)$")
    if not name then break end
    facts[name] = value
  end
  if file then file:close() end
  return facts
end

--- Units and clock of the device in words and numbers; nil if this machine does not report it.
local function units_and_clock()
  if device.type == "cuda" then
    local p = tide.cuda.get_device_properties(device)
    return ("%d multiprocessors x %d float32 units"):format(p.multi_processor_count, p.float_units),
      p.multi_processor_count * p.float_units, p.clock_rate * 1e3
  end
  local facts = processor_facts()
  local clock, flags = tonumber(facts["cpu MHz"]), facts.flags
  if not clock or not flags then return nil end
  local lanes = flags:find("avx512f", 1, true) and 16 or flags:find("avx2", 1, true) and 8 or 4
  -- Two threads of one core share its units. A sim has one thread, the cpu as many as it is given.
  local threads = device.type == "sim" and 1 or tide.get_num_threads()
  local per_core = (tonumber(facts.siblings) or 1) / (tonumber(facts["cpu cores"]) or 1)
  local cores = math.max(1, threads // math.max(1, math.tointeger(per_core) or 1))
  return ("%d core%s x 2 pipes x %d lanes"):format(cores, cores > 1 and "s" or "", lanes),
    cores * 2 * lanes, clock * 1e6
end

local words, units, clock = units_and_clock()
local peak
if words then
  -- Matrix products are made of a * b + c, and there is an instruction for just that: the fused
  -- multiply-add, FMA. One instruction, two operations: hence the 2.
  local without_fma = units * clock
  peak = 2 * without_fma
  print(("  units             %s = %d"):format(words, units))
  print(("  clock             %.2f GHz"):format(clock / 1e9))
  print(("  peak without FMA  %d x %.2f GHz = %sFLOP/s"):format(units, clock / 1e9,
    scaled(without_fma)))
  print(("  peak with FMA     2 x that = %sFLOP/s"):format(scaled(peak)))
  if device.type == "cuda" then
    assert(peak == tide.cuda.get_device_properties(device).peak_float)
  else
    print("Most processors have two such pipes a core. Many run faster than the clock that they")
    print("name, so a share of this peak may come out above 100 %.")
  end
else
  print("This machine does not report its units and clock: the best product below stands for them.")
end

-- 2. Products of growing size ---------------------------------------------------------------------
-- A product of two matrices of n x n is n^3 multiplications and as many additions, so 2 n^3
-- operations. They can be done in any order, all units at once: the best case for a device.
heading "2. a:matmul(b) of growing size"

print("     n       time          rate   of the peak")
local smallest, fastest
local sizes, rates = {}, {}
local n, seconds = 16, 0
repeat
  local a = tide.randn(n, n, {device = device})
  local b = tide.randn(n, n, {device = device})
  local c = a:matmul(b) -- once before the clock runs
  -- Enough of them in a row that the clock's own cost does not count.
  local count = n <= 128 and 20 or 2
  seconds = seconds_of(function()
    for _ = 1, count do c = a:matmul(b) end
  end) / count
  local rate = 2 * n ^ 3 / seconds
  smallest, fastest = smallest or rate, math.max(fastest or 0, rate)
  sizes[#sizes + 1], rates[#rates + 1] = n, rate / 1e9
  local share = peak and rate / peak
  local bar = share and ("#"):rep(math.floor(math.min(share, 1.2) * 30 + 0.5)) or ""
  print(("%6d %10s %8sFLOP/s   %s %s"):format(n, duration(seconds), scaled(rate),
    share and ("%6.2f %%"):format(100 * share) or "     -", bar))
  n = n * 2
  -- The next one takes about eight times as long: stop before that is a bore.
until seconds > 0.02 or n > 8192

-- The same as a picture, with the peak as a dashed line.
local figure = tide.plot.line(sizes, rates, {
  label = "GFLOP/s of a product of n x n", xlabel = "n", xscale = "log", yscale = "log", marker = "o",
})
if peak then
  figure:line({sizes[1], n / 2}, {peak / 1e9, peak / 1e9}, {label = "peak", linestyle = "--"})
end
figure:show()

assert(fastest > 2 * smallest or fastest < 1e9, -- below 1 GFLOP/s the device is imitated
  "small products leave most of the device idle")
print(("The best has %.0f times the rate of the smallest: starting a kernel takes as long for few"):format(
  fastest / smallest))
print("numbers as for millions, and few numbers keep few units busy.")
local yardstick = peak or fastest

-- 3. What "utilisation" says ----------------------------------------------------------------------
-- nvidia-smi, `tide smi` and the graphs of computing centres show a number called utilisation: the
-- share of time in which some kernel ran. We find it as they do, by looking again and again, while
-- the device adds 1 to one element.
heading "3. x = x + 1 on one element: 100 % busy, doing nothing"

local x = tide.zeros(1, {device = device})
local looked, busy = 0, 0
local start = tide.time()
tide.eager(function() -- each step is a kernel of its own; section 4 shows what happens otherwise
  for step = 1, options.steps do
    x = x + 1
    if step % 32 == 0 then
      looked = looked + 1
      if tide.pending() > 0 then busy = busy + 1 end
    end
  end
end)
tide.synchronize(device)
seconds = tide.time() - start
assert(x:item() == options.steps)

local rate = options.steps / seconds
local utilisation, used = busy / looked, rate / yardstick
print(("  utilisation     %10.1f %%   something was running when we looked"):format(
  100 * utilisation))
print(("  really done     %10sFLOP/s, one addition per kernel"):format(scaled(rate)))
print(("  really used     %10.6f %%   of the %s"):format(100 * used,
  peak and "peak" or "best product's rate"))
if device.type == "cuda" then
  print("What the driver says of the last moments, in the column `use` (it looks a few times a")
  print("second only, so it may have missed all of this):\n" .. tide.smi())
end
assert(used < 1e-3, "less than a thousandth of what the device can do")
-- On the cpu, steps this small end almost as fast as the script writes them down.
assert(device.type ~= "sim" or utilisation > 0.75, "and yet it looks busy")
print("Utilisation tells whether the device had something to do, not whether it did much. Ask for")
print("FLOP/s (or bytes/s) and divide by the peak.")

-- 4. Eager and fused ------------------------------------------------------------------------------
-- In eager mode every op is a kernel of its own that reads its input from memory and writes its
-- output back. Otherwise tide collects ops and compiles those that follow on each other into one
-- kernel: a window of 128 additions reads and writes memory once.
heading(("4. x = x + 1, %d times: eager and fused"):format(options.steps))

local function add_ones()
  local y = tide.zeros(1, {device = device})
  for _ = 1, options.steps do y = y + 1 end
  return y
end

--- Seconds, kernels and the result of add_ones, done by itself or within `mode`.
local function measure(mode)
  local result
  local function work() result = mode and mode(add_ones) or add_ones() end
  work() -- the first time compiles
  tide.synchronize(device)
  local before = tide.statistics().launches
  work()
  tide.synchronize(device)
  local kernels = tide.statistics().launches - before
  return {seconds = seconds_of(work), kernels = kernels, result = result:item()}
end

local eager, fused = measure(tide.eager), measure(nil)
print("           kernels          time    time per step")
for _, row in ipairs {{"eager", eager}, {"fused", fused}} do
  local name, found = table.unpack(row)
  print(("  %-6s %10d  %12s  %11.0f ns  %s"):format(name, found.kernels, duration(found.seconds),
    found.seconds / options.steps * 1e9,
    ("#"):rep(math.ceil(28 * found.seconds / eager.seconds))))
end
assert(eager.result == options.steps and fused.result == eager.result, "the same result")
assert(eager.kernels >= options.steps, "a kernel for every step")
assert(fused.kernels < options.steps / 50, "one for a hundred and more")
if device.type == "sim" then
  assert(fused.seconds < eager.seconds / 2, "the launches were the time")
end
print("The results are equal to the last bit. What is left of the time is mostly the script itself.")

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
1. How many operations are in a product of (m, k) and (k, n)? How many numbers does it read and
   write? For which square matrices are there more than 100 operations for each number?
2. Count the kernels of x:add(1):mul(2):add(3) op by op, and fused. Then put a sum in between:
   ((x + 1) / (x + 1):sum()) * 2. How many are there now, on the cpu and on your device?
3. What is the rate, in GB/s, of y = x + 1 for a million numbers? Is it limited by arithmetic?

`tide lesson 8 --answers` shows answers.]]
