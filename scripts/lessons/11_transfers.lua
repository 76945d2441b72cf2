-- Lesson 11: transfers. How numbers get to a device and back, what slows them, and what hides them.
--
-- Run it:        tide lesson 11
-- On the cpu:    tide lesson 11 --device cpu
-- Very small:    tide lesson 11 --megabytes 1
--
-- A GPU reads its own memory at thousands of GB/s. The road from the host's memory (the one that the
-- processor uses) to the GPU is a hundred times slower. Many programs that seem slow on a GPU wait
-- on that road.
local tide = require "tide"

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  megabytes = 16,  -- how much is copied from section 2 on
}

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local function ms(seconds) return ("%.2f ms"):format(seconds * 1e3) end

--- A line with a time, the rate that follows from it, and a bar.
local function show(words, seconds, bytes, longest)
  print(("  %-40s %10s  %6.2f GB/s  %s"):format(words, ms(seconds), bytes / seconds / 1e9,
    ("#"):rep(math.max(1, math.floor(30 * math.min(1, seconds / longest))))))
end

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

local device = tide.device(options.device)
if device.type == "cpu" then
  print("You asked for the cpu. This lesson needs a second memory: it uses sim:0.")
  device = tide.device("sim:0")
end
local simulated = device.type == "sim"

-- The costs of a simulated accelerator: bytes per second, and a latency for each copy.
local road, detour, pinning, latency = 2e9, 2e9, 0.5e9, 100e-6
if simulated then
  local costs = {
    bytes_per_second = road, staging_bytes_per_second = detour, pin_bytes_per_second = pinning,
    copy_latency = latency,
  }
  for _, sim in ipairs {tide.device("sim:0"), device} do -- sim:0 pins for all of them
    costs.device = sim
    tide.sim.configure(costs)
  end
  print [[
The times of this lesson's transfers are simulated, all of them slow so that one sees them: the road
takes 2 GB/s, so does the detour of section 2; pinning goes at 0.5 GB/s, a copy takes 0.1 ms or more.]]
end

-- 1. Many small copies against one ----------------------------------------------------------------
-- Every copy has a price of its own, however small it is: it has to be asked for, started and
-- noticed when it is done. So a hundred small copies cost more than one with the same numbers.
heading "1. 100 copies of 1 kB, and one of 100 kB"

local small = {}
for i = 1, 100 do small[i] = tide.zeros(256) + i end
tide.synchronize()
local small_bytes = 100 * small[1].nbytes

local one_by_one = seconds_of(function()
  local there = {}
  for i = 1, 100 do there[i] = small[i]:to(device) end
end)
local at_once = seconds_of(function()
  local there = tide.stack(small):to(device) -- put together here, then taken over
  return there:unbind(1)                      -- and over there 100 views: they cost nothing
end)
show("100 copies", one_by_one, small_bytes, one_by_one)
show("stacked into one", at_once, small_bytes, one_by_one)
local there = tide.stack(small):to(device):unbind(1)
assert(there[42]:cpu():equal(small[42]), "the same numbers")
if simulated then
  assert(one_by_one >= 100 * latency, "the price of each copy, a hundred times")
  assert(at_once < one_by_one / 2, "once")
end

-- The same for one copy of growing size: small ones take as long as their price, large ones are as
-- fast as the road.
local sizes, rates = {}, {}
local x = tide.zeros(256)
while x.nbytes <= options.megabytes * 2 ^ 20 do
  local seconds = seconds_of(function() return x:to(device) end)
  sizes[#sizes + 1], rates[#rates + 1] = x.nbytes / 2 ^ 10, x.nbytes / seconds / 1e9
  x = tide.zeros(x:numel() * 4)
end
tide.plot.line(sizes, rates, {
  title = "GB/s to " .. tostring(device), xlabel = "kB in a copy", xscale = "log", yscale = "log", marker = "o",
}):show()
if simulated then
  assert(rates[1] <= 1024 / latency / 1e9, "the price of a copy is all that a small one takes")
end

-- 2. Pageable and pinned memory -------------------------------------------------------------------
-- The system may move a page of ordinary ("pageable") memory at any time, so a device cannot read
-- it by itself: the numbers are first copied into a block that stays where it is, and taken from
-- there. That is a detour. Memory that is pinned, or page-locked, stays: no detour.
heading(("2. %d MB from pageable and from pinned memory"):format(options.megabytes))

local pageable = tide.zeros(options.megabytes * 2 ^ 18) + 1
tide.synchronize()
local bytes = pageable.nbytes

local start = tide.time()
local pinned = pageable:pin_memory()
tide.synchronize()
local first_pinning = tide.time() - start
assert(pinned:is_pinned() and not pageable:is_pinned(), "a copy that is pinned; x stays as it is")
assert(pinned:pin_memory() == pinned, "already pinned: nothing to do")
assert(pinned.device == tide.cpu() and pinned:equal(pageable))

local from_pageable = seconds_of(function() return pageable:to(device) end)
local from_pinned = seconds_of(function() return pinned:to(device) end)
show("pin it: a copy on the host", first_pinning, bytes, first_pinning)
show("to the device from pageable memory", from_pageable, bytes, first_pinning)
show("to the device from pinned memory", from_pinned, bytes, first_pinning)
assert(pinned:to(device):cpu():equal(pageable), "the same numbers by both ways")

-- So pinning does not pay for what travels once: pinning and the way together take longer than the
-- way with the detour. It pays for memory that is filled and sent again and again. tide keeps
-- pinned blocks for reuse, so that the second time is cheaper, and so does
-- data.DataLoader(set, {pin_memory = true}), which pins every batch.
local kept = seconds_of(function()
  pinned = nil
  collectgarbage() -- gives the block back for reuse; see lesson 13
  pinned = pageable:pin_memory()
end)
show("pin again, in a block that is kept", kept, bytes, first_pinning)
local saved = from_pageable - from_pinned
print(saved > 0
  and ("  the detour takes %s: the first pinning has paid after %.0f transfers"):format(ms(saved),
    math.ceil(first_pinning / saved))
  or "  no detour could be measured today")
if simulated then
  assert(from_pageable >= bytes / road + bytes / detour, "the road and the detour")
  assert(from_pinned >= bytes / road, "the road alone")
  assert(first_pinning >= bytes / pinning and bytes / pinning > bytes / detour,
    "what travels once is not worth pinning")
end

-- 3. The script does not wait on the way there ----------------------------------------------------
-- `x:to(device)` queues the copy and goes on. Later changes of x do not change what travels: tide
-- keeps the numbers as they were at that line.
heading "3. The way there"

local x = tide.zeros(bytes // 4)
tide.synchronize()
local waits = tide.wait_count()
start = tide.time()
local over_there = x:to(device)
x:add_(1) -- while the numbers are on their way
local queued = tide.time() - start
tide.synchronize(device)
local arrived = tide.time() - start
print(("  queued in %s, arrived after %s"):format(ms(queued), ms(arrived)))
assert(tide.wait_count() <= waits + 1, "only synchronize waited")
assert(over_there:sum():item() == 0 and x:sum():item() == x:numel(), "the numbers of that line")

-- 4. non_blocking on the way back -----------------------------------------------------------------
-- `y:to("cpu")` waits until the numbers are here. With non_blocking = true it does not: it gives a
-- tensor whose values are still to come, and the first read waits. That is useful if there is
-- something to do in the meantime. If they are read at once, nothing is gained.
heading "4. The way back: non_blocking, and something to do meanwhile"

local y = tide.zeros(bytes // 4, {device = device}) + 1
tide.synchronize()

--- Something that keeps the script busy without asking the device for anything.
local function work_on_host(seconds)
  local ends = tide.time() + seconds
  while tide.time() < ends do end
end
local way = seconds_of(function() return y:to("cpu") end)
local work = math.max(way, 2e-3)

--- Seconds in three parts: until `to` gives a tensor, for work meanwhile, until a number is read.
local function parts(non_blocking, meanwhile)
  local best
  for _ = 1, 5 do
    tide.synchronize()
    local waited = tide.wait_count()
    local t = {tide.time()}
    local here = y:to("cpu", {non_blocking = non_blocking})
    t[2] = tide.time()
    waited = tide.wait_count() - waited
    assert(not non_blocking or waited == 0, "with non_blocking `to` does not wait")
    assert(non_blocking or waited == 1 or not simulated, "without it it does, if the way is long")
    if meanwhile then work_on_host(work) end
    t[3] = tide.time()
    assert(here[1]:item() == 1, "the right numbers in any case")
    t[4] = tide.time()
    local found = {t[2] - t[1], t[3] - t[2], t[4] - t[3], all = t[4] - t[1]}
    if not best or found.all < best.all then best = found end
  end
  return best
end

local rows = {
  {"to, read at once", parts(false, false)},
  {"non_blocking, read at once", parts(true, false)},
  {"to, then work, then read", parts(false, true)},
  {"non_blocking, work, read", parts(true, true)},
}
local longest = 0
for _, row in ipairs(rows) do longest = math.max(longest, row[2].all) end
for _, row in ipairs(rows) do
  local words, p = table.unpack(row)
  local function cells(seconds) return math.floor(36 * seconds / longest + 0.5) end
  print(("  %-27s %10s  %s%s%s"):format(words, ms(p.all), ("t"):rep(cells(p[1])),
    ("w"):rep(cells(p[2])), ("r"):rep(cells(p[3]))))
end
print("  (t: the script is in `to`, w: it works, r: it waits in the reading)")
if simulated then
  local least = bytes / road + bytes / detour
  for i = 1, 2 do assert(rows[i][2].all >= least, "read at once: nothing gained") end
  local in_turn, hidden = rows[3][2].all, rows[4][2].all
  assert(in_turn >= least + work, "one after the other")
  assert(hidden < 0.9 * in_turn, "the transfer is hidden by the work")
end

-- 5. Do not travel --------------------------------------------------------------------------------
-- The fastest transfer is none. What the device can make itself (zeros, random numbers, positions)
-- need not be brought, and a sum that is made there is one number on the way back in place of all.
heading "5. Do not travel"

local brought = seconds_of(function() return tide.ones(bytes // 4):to(device) end)
local made = seconds_of(function() return tide.ones(bytes // 4, {device = device}) + 0 end)
local all_back = seconds_of(function() return y:to("cpu"):sum():item() end)
local sum_back = seconds_of(function() return y:sum():item() end)
longest = math.max(brought, made, all_back, sum_back)
show("tide.ones(n):to(device)", brought, bytes, longest)
show("tide.ones(n, {device = device})", made, bytes, longest)
show('y:to("cpu"):sum():item()', all_back, bytes, longest)
show("y:sum():item()", sum_back, bytes, longest)
assert(y:sum():item() == y:numel())
if simulated then
  local least = bytes / road + bytes / detour
  assert(brought >= least and all_back >= least, "the whole way")
  assert(sum_back < all_back, "a number travels lighter")
end

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
1. You need the largest of a million numbers that are on the device. How many bytes travel with
   x:cpu():max() and with x:max():cpu()?
2. From which number of uses on does pinning pay, if pinning 16 MB takes 32 ms, the road 8 ms and
   the detour 8 ms more? Compute it with a formula, for any three times.
3. Copy a tensor with non_blocking = true and change the source right after it. Which numbers
   arrive? Show it for pinned memory, too.

`tide lesson 11 --answers` shows answers.]]
