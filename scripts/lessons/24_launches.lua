-- Lesson 24: launches. Small ops keep a GPU busy with starting. How do they become fewer?
--
-- Run it:        tide lesson 24
-- On the cpu:    tide lesson 24 --device cpu
-- Very small:    tide lesson 24 --count 16
--
-- To start a kernel takes a GPU some microseconds, however little the kernel does. In 5 us an H200
-- moves 24 MB. A script whose kernels handle a few kilobytes each is launch-bound: the time is that
-- of the starts, and neither more memory nor a faster card helps.
local tide = require "tide"
local nn, optim = tide.nn, tide.optim
local F = nn.functional

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  count = 64,    -- how many small tensors there are
  samples = 256, -- that section 6 learns from
}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local simulated, launch_cost = device.type == "sim", 100e-6
if simulated then
  -- (With `like = "T4"` a simulated device takes what that card has: 5 us, its memory, its link.)
  tide.sim.configure {device = device, launch_cost = launch_cost}
  print("Starting a kernel costs 100 us here, 20 times as much as on a T4, so that one sees it.")
end

-- 1. The price of a start -------------------------------------------------------------------------
-- tide.statistics counts, among other things, launches: how many kernels were started.
heading "1. The price of a start"

--- What statistics has counted while fn ran, and its seconds.
local function cost_of(fn)
  tide.synchronize()
  local before, start = tide.statistics(), tide.time()
  fn()
  tide.synchronize()
  local seconds, after = tide.time() - start, tide.statistics()
  local counted = {seconds = seconds}
  for name, count in pairs(after) do counted[name] = count - before[name] end
  return counted
end

local function show(words, cost)
  print(("  %-40s %5d launches %9.2f ms"):format(words, cost.launches, cost.seconds * 1e3))
  if simulated then assert(cost.seconds >= cost.launches * launch_cost, "what was set") end
end

-- An activation called gelu, by its formula: eight ops. In eager mode each is a kernel, as in most
-- systems. Otherwise tide makes one of them all: it fuses them.
local x = tide.randn(64, 64, {device = device})
local function gelu() return (x * 0.5) * (((x + x ^ 3 * 0.044715) * 0.79788456):tanh() + 1) end

tide.eager(gelu)
gelu() -- once before the clock runs: the first time compiles
local eager, fused = cost_of(function() tide.eager(gelu) end), cost_of(gelu)
show("gelu, op by op", eager)
show("gelu, fused", fused)
assert(fused.launches == 1 and eager.launches >= 8)

-- 2. How do you know? -----------------------------------------------------------------------------
-- tide.estimate says what bounds each part of a piece of work on a described card. "launch" means:
-- starting takes longer than moving its bytes and than computing.
heading "2. What bounds it?"

local weights, gradients = {}, {}
for i = 1, options.count do
  weights[i] = tide.randn(16, {device = device})
  gradients[i] = tide.randn(16, {device = device})
end
local function update_each()
  for i = 1, options.count do weights[i] = weights[i] - gradients[i] * 0.01 end
end

local estimate = tide.estimate(update_each, {device = "T4"})
print(estimate)
assert(estimate.parts[1].bound == "launch")
local needed = estimate.parts[1].bytes / estimate.card.bandwidth
print(("Moving all these bytes would take %.3f us; starting the kernels takes %.0f us."):format(
  needed * 1e6, estimate.device_ms * 1e3))
assert(needed < estimate.device_ms * 1e-3 / 100)

-- 3. One tensor in place of many ------------------------------------------------------------------
-- Ops fuse that follow on each other over the same elements. These updates have nothing to do with
-- each other, so each is a kernel of its own. (On a GPU tide launches many that do the same as
-- one, but still it has to find them.) Who keeps the numbers in one tensor has one kernel.
heading(("3. %d small tensors, and one of all"):format(options.count))

local all_weights, all_gradients = tide.stack(weights), tide.stack(gradients)
local function update_all() all_weights = all_weights - all_gradients * 0.01 end
update_all()
local each, all = cost_of(update_each), cost_of(update_all)
show("weights[i] - gradients[i] * 0.01", each)
show("weights - gradients * 0.01", all)
assert(all.launches == 1 and (each.launches == options.count or device.type == "cuda"))

-- The same with loops over the parts of a tensor: over rows, over samples, over time. If each turn
-- does the same, there is an op that does it for all.
local centers = tide.randn(64, {device = device})
local function distances_by_row()
  local rows = {}
  for i = 1, 64 do rows[i] = (x[i] - centers):abs():sum() end
  return tide.stack(rows)
end
local function distances() return (x - centers):abs():sum(2) end -- centers is used for each row
assert(tide.allclose(distances_by_row(), distances(), {rtol = 1e-4}))
local by_row, at_once = cost_of(distances_by_row), cost_of(distances)
show("a loop over rows", by_row)
show("all rows at once", at_once)
assert(at_once.launches <= 2 and at_once.launches < by_row.launches)

-- 4. What ends a kernel ---------------------------------------------------------------------------
-- Not everything fuses. A product is a routine of its own: what stands before it and what follows
-- it are two kernels. tide.explain shows the kernels of a function, and why there are no fewer.
heading "4. What does not fuse"

local w = tide.randn(64, 64, {device = device})
tide.synchronize()
local explanation = tide.explain(function()
  local hidden = (x * 2 - 1):matmul(w)
  return (hidden + 1):relu()
end)
print(explanation)
assert(#explanation == 3, "a loop, a product, a loop")
assert(explanation[2].name == "matmul" and explanation[2].kind == "compute")

-- A value that Lua reads ends a kernel, too: what is read must be there. In a loop that looks at
-- each value, nothing is left to fuse, and the device waits besides (lesson 22).
local function looking()
  local y = x
  for _ = 1, 8 do
    y = y * 0.5
    if y[1][1]:item() > 1e9 then break end
  end
  return y
end
local function trusting()
  local y = x
  for _ = 1, 8 do y = y * 0.5 end
  return y
end
looking()
trusting()
local looked, trusted = cost_of(looking), cost_of(trusting)
show("eight steps, looking at each", looked)
show("eight steps", trusted)
assert(trusted.launches == 1 and looked.launches >= 8)

-- 5. Plans and graphs -----------------------------------------------------------------------------
-- Which kernels a window becomes is its plan. Making one takes time: ops are grouped, loops are
-- written and compiled. So tide keeps plans, and finds one again if a window has the same ops with
-- the same shapes. A training is the same step again and again, so from the second on all is there.
--
--   first time     ops -> window -> group, write, compile -> plan -> launches
--   second         ops -> window -> the same? --------------> plan -> launches
--   from third on  the same on CUDA devices, many launches -> plan -> one graph
--
-- A graph is a list of launches that the driver takes as a whole: one call in place of many. Other
-- systems have functions for all this, such as torch.compile and CUDAGraph. Here there is nothing
-- to call. But there is something to spoil: shapes that change.
heading "5. Plans and graphs"

--- Sums over batches of sequences of these lengths; each in a window of its own.
local function sums(lengths)
  for _, length in ipairs(lengths) do
    local _ = (tide.ones(length, 8, {device = device}) * 2 + 1):sum(1)
    tide.flush()
  end
end

local lengths, padded = {}, {}
for i = 1, 24 do
  lengths[i] = 39 + i                      -- 40, 41, ... 63
  padded[i] = (lengths[i] + 31) // 32 * 32 -- filled up to a multiple of 32
end
local first, second = cost_of(function() sums(lengths) end), cost_of(function() sums(lengths) end)
local few = cost_of(function() sums(padded) end)
print(("  24 lengths, for the first time   %2d plans"):format(first.plans))
print(("  24 lengths, again                %2d plans"):format(second.plans))
print(("  padded to a multiple of 32       %2d plans"):format(few.plans))
assert(first.plans == 24, "one for each shape")
assert(second.plans == 0, "they are all known")
assert(few.plans == 1, "64 is the one length left")
print(("  graphs that ran so far           %2d"):format(tide.statistics().graphs))

-- In a training where the shapes never come back there is no second time. tide.advise tells.
local others = {}
for i = 1, 24 do others[i] = 100 + i end
local advice = tide.advise(function() sums(others) end, {runs = 1})
print(advice)
local tells = false
for _, finding in ipairs(advice.findings) do tells = tells or finding.rule == "changing shapes" end
assert(tells)

-- 6. Batch size -----------------------------------------------------------------------------------
-- A step has as many launches for one sample as for a hundred. So the larger the batch, the fewer
-- launches for each sample, until the kernels have enough to do. Then the time for a sample stays
-- the same, and larger batches only need more memory.
heading "6. Batch size"

local net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)):to(device)
local optimizer = optim.SGD(net:parameters(), {lr = 0.01})
local inputs = tide.randn(options.samples, 16, {device = device})
local labels = tide.randint(1, 4, {options.samples}, {device = device})

--- Learns from all samples once, in batches.
local function epoch(batch_size)
  for first_one = 1, options.samples, batch_size do
    local here = {{first_one, first_one + batch_size - 1}}
    optimizer:zero_grad()
    F.cross_entropy(net(inputs[here]), labels[here]):backward()
    optimizer:step()
  end
end

local sizes, rates, launches = {4, 16, 64, options.samples}, {}, {}
for i, size in ipairs(sizes) do
  epoch(size)
  local cost = cost_of(function() epoch(size) end)
  rates[i], launches[i] = options.samples / cost.seconds, cost.launches / options.samples
  show(("batches of %d: %.2f launches a sample"):format(size, launches[i]), cost)
end
tide.plot.figure {
  size = {640, 300}, title = "samples a second, by batch size", xscale = "log", yscale = "log",
}:line(sizes, rates, {marker = "o"}):show()
for i = 2, #sizes do assert(launches[i] < launches[i - 1]) end
assert(launches[1] > 0.8 * options.samples / 4 * launches[#sizes], "as many a step")
-- (A larger batch takes fewer steps, each with a better direction. It usually needs a larger
-- learning rate, and at some size it learns no faster for it.)

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
`tide lesson 24 --exercises > mine.lua` makes a script of functions with too many launches. Fix
them, and run it with `tide mine.lua`: it says which are solved, and gives a hint for the others.

1. scaled_rows(x, factors) multiplies row i by factor i, in a loop. Use one kernel.
2. products(a, b) multiplies each matrix of a with that of b at the same place, in a loop. Use one
   kernel.
3. padded_length(n) says to which length a sequence is padded. Write it: at most four plans for
   lengths from 8 to 64, and no sequence becomes twice as long or more.

`tide lesson 24 --answers` shows answers.]]
