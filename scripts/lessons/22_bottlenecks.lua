-- Lesson 22: finding the bottleneck. Why is this training slow? Measure, fix the worst, repeat.
--
-- Run it:        tide lesson 22
-- On the cpu:    tide lesson 22 --device cpu
-- Very small:    tide lesson 22 --samples 32 --epochs 2
--
-- A training that is slow rarely computes slowly. Most often the device waits: for the script, for
-- numbers on the road, for data. The training below has three such faults. We find them one after
-- the other, and never by reading the code: the profiler says where to look.
local tide = require "tide"
local nn, optim, data = tide.nn, tide.optim, tide.data
local F = nn.functional

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  samples = 48,  -- of the training
  epochs = 3,    -- passes over all samples
}
local device = tide.device(options.device)
if device.type == "cpu" then
  print("You asked for the cpu. This lesson needs a second memory: it uses sim:0.")
  device = tide.device("sim:0")
end
local simulated = device.type == "sim"

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local latency, reading = 1e-3, 2e-3 -- seconds for a copy, and for a sample
if simulated then
  tide.sim.configure {device = device, copy_latency = latency, launch_cost = 20e-6}
  print("A copy takes 1 ms here, and starting a kernel 20 us: these times are simulated.")
end

-- 1. A training with three faults -----------------------------------------------------------------
-- Samples come from a slow disk: reading one takes 2 ms. A small network learns from them. What it
-- does besides is usual, too: some classes count more than others, a little noise is added to the
-- inputs, and the loss of each step is noted for a curve.
heading "1. A training with three faults"

local classes, features, batch_size = 4, 16, 8
local reads = 0

--- The samples on the disk, and how often one of them was read.
local disk = {len = function() return options.samples end}
function disk:get(i)
  reads = reads + 1
  tide.sleep(reading)
  return tide.full({features}, i / options.samples), (i - 1) % classes + 1
end

-- The parts of the training that may turn out to be slow are functions: we can replace them.
local parts = {}

--- The batches of an epoch.
function parts.batches()
  return data.DataLoader(disk, {batch_size = batch_size, shuffle = true}):iter()
end

--- Inputs with noise, on the device.
function parts.noisy(x)
  local noise = tide.randn(x.shape[1], features):to(device)
  return x:to(device) + noise * 0.1
end

--- How much each class counts, on the device.
local class_weights = tide.tensor {1.0, 2.0, 1.0, 0.5}
function parts.weights() return class_weights:to(device) end

--- Notes the loss of a step.
function parts.note(losses, loss) losses[#losses + 1] = loss:item() end

--- The losses that were noted, as numbers.
function parts.numbers(losses) return losses end

--- The loop of the training, which stays as it is. Returns the losses as they were noted.
local function loop()
  tide.manual_seed(1)
  local net = nn.Sequential(nn.Linear(features, 32), nn.ReLU(), nn.Linear(32, classes)):to(device)
  local optimizer = optim.SGD(net:parameters(), {lr = 0.1})
  local losses = {}
  for _ = 1, options.epochs do
    for x, y in parts.batches() do
      optimizer:zero_grad()
      local scores = net(parts.noisy(x))
      local loss = F.cross_entropy(scores, y:to(device), {weight = parts.weights()})
      loss:backward()
      optimizer:step()
      parts.note(losses, loss)
    end
  end
  return losses
end

local function train() return parts.numbers(loop()) end

-- A stopwatch says how long it takes, and not why. Under the profiler we also count what a script
-- should do seldom: wait, move tensors, read from the disk.
local steps = options.epochs * ((options.samples + batch_size - 1) // batch_size)
local rows = {}

--- Runs the training under the profiler, notes and shows what it did, and returns the profile.
local function measure(name)
  train() -- the first time compiles
  reads = 0
  local start = tide.time()
  local p, losses = tide.profile(train)
  local row = {name = name, seconds = tide.time() - start, waits = 0, transfers = 0, reads = reads}
  assert(#losses == steps and type(losses[1]) == "number")
  for _, wait in ipairs(p:table {by = "wait"}) do row.waits = row.waits + wait.calls end
  for _, kernel in ipairs(p:table {by = "kernel"}) do
    if kernel.name == "to" and kernel.device == tostring(device) then
      row.transfers = row.transfers + kernel.calls
    end
  end
  rows[#rows + 1] = row
  print(("  %-24s %7.1f ms  %3d waits  %3d transfers  %3d samples read"):format(name,
    row.seconds * 1e3, row.waits, row.transfers, row.reads))
  return p, row
end

local p, slow = measure "as it was"
assert(slow.reads == options.epochs * options.samples, "each epoch reads all samples")
assert(slow.transfers >= 4 * steps, "each step moves inputs, labels, noise and weights")
assert(slow.waits > steps / 2, "and waits")

-- 2. Which line takes the time? -------------------------------------------------------------------
-- The table by line has the lines with most of the time above. `wait ms` is the part of a line's
-- time in which the script waited for the device.
heading "2. Which line takes the time?"

local lines = p:table {by = "line", limit = 4}
print(lines)
assert(lines[1].file, "each row has a file and a line")

-- tide.advise runs a function under the profiler, too, and says what it makes of it: what is wrong,
-- where, what to do, and what that would win. It counts and it knows the usual faults.
local advice = tide.advise(train)
print(advice)

--- Whether a rule has found something.
local function fires(given, rule)
  for _, finding in ipairs(given.findings) do
    if finding.rule == rule then return true end
  end
  return false
end
assert(fires(advice, "slow data loader"))
assert(fires(advice, "wait in a loop"))
assert(fires(advice, "made on the host") and fires(advice, "moved again"))

-- 3. The first fault: the device waits for the data -----------------------------------------------
-- Most of the time goes into reading samples, and meanwhile the device has nothing to do. Workers
-- (lesson 16) would read ahead. But each epoch reads the same samples, and these are few: read them
-- once, keep them on the device, and let the loader cut its batches there.
heading "3. The first fault: the device waits for the data"

local function read_all()
  local inputs, labels = {}, {}
  for i = 1, disk:len() do inputs[i], labels[i] = disk:get(i) end
  return data.TensorDataset(tide.stack(inputs):to(device), tide.tensor(labels):to(device))
end

local resident
function parts.batches()
  resident = resident or read_all()
  return data.DataLoader(resident, {batch_size = batch_size, shuffle = true}):iter()
end

reads = 0
train()
assert(reads == options.samples, "each sample once, whatever the number of epochs")

-- Measure again before you go on: the next fault may be another one than you think. Here reading
-- is gone from the table, and the wait has come to its top.
local fixed
p, fixed = measure "samples on the device"
assert(fixed.reads == 0, "the next training reads none")
print(p:table {by = "line", limit = 3})

-- 4. The second fault: the script waits for the device --------------------------------------------
-- `loss:item()` waits until the step is done. Then the device waits until the script has recorded
-- the next one. The table by wait has each wait by line, for what it waited, and what to do.
heading "4. The second fault: a wait in each step"

print(p:table {by = "wait"})

-- In a long script such lines hide well. tide.no_sync makes a wait an error, which names its line;
-- `tide run train.lua --syncs` lists all waits of a script without a change of it.
local passed, complaint = pcall(tide.no_sync, loop)
assert(not passed and complaint:find("item waits for", 1, true), complaint)
print("  no_sync: " .. complaint)

-- The curve needs the losses, but not now. The fix: keep tensors, and read them once at the end.
-- `detach` releases the graph of the loss, which keeps the memory of the step (lesson 13).
function parts.note(losses, loss) losses[#losses + 1] = loss:detach() end
function parts.numbers(losses) return tide.stack(losses):tolist() end

tide.no_sync(loop) -- no error: nothing waits
p, fixed = measure "losses read at the end"
assert(fixed.waits < steps / 2, "not one in each step")

-- 5. The third fault: transfers -------------------------------------------------------------------
-- What is left? Ask again.
heading "5. The third fault: transfers"

advice = tide.advise(train)
print(advice)
assert(not fires(advice, "wait in a loop"), "the waits are gone")
assert(fires(advice, "made on the host") and fires(advice, "moved again"), "the transfers are not")

-- The noise is made on the cpu and moved, in each step; the device can make it itself. The weights
-- of the classes never change, and are moved in each step all the same: move them once.
function parts.noisy(x)
  return x:to(device) + tide.randn(x.shape[1], features, {device = device}) * 0.1
end

local weights_there = class_weights:to(device)
function parts.weights() return weights_there end

p, fixed = measure "nothing travels"
-- Four parameters of the network, before the first step, and the positions of each batch: the
-- loader shuffles on the cpu, and a few bytes of it travel.
assert(fixed.transfers <= 4 + steps)
advice = tide.advise(train)
assert(not fires(advice, "made on the host") and not fires(advice, "moved again"))

-- 6. What it was worth ----------------------------------------------------------------------------
-- The order matters. As long as the loader took most of the time, fixing the rest would hardly
-- have been noticed. The worst comes first, and after each fix you measure.
heading "6. What it was worth"

local names, heights = {}, {}
for i, row in ipairs(rows) do
  names[i], heights[i] = tostring(i), row.seconds * 1e3
  print(("  %d  %-24s %7.1f ms  %s"):format(i, row.name, row.seconds * 1e3,
    ("#"):rep(math.ceil(36 * row.seconds / rows[1].seconds))))
end
tide.plot.figure {size = {640, 280}, title = "ms of a training, fix by fix"}
  :bar(names, heights):show()
assert(slow.seconds >= slow.reads * reading, "all these reads took 2 ms each")
if simulated then
  -- What was set bounds the time from below: in each step the script waited for its four copies.
  assert(slow.seconds >= slow.reads * reading + 4 * steps * latency)
end
assert(fixed.reads == 0 and fixed.transfers <= 4 + steps and fixed.waits < steps / 2)
print("What is left is the work itself, and the starting of many small kernels: lesson 24.")

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
`tide lesson 22 --exercises > mine.lua` makes a script with three functions that are slow. Fix
them, and run it with `tide mine.lua`: it says which are solved, and gives a hint for the others.

1. mean_loss(losses) reads each loss. Give the mean as a tensor, without a wait.
2. accuracy(scores, labels) reads element by element. Let the device count.
3. features(batches, mean, scale) moves the mean for each batch, and makes noise on the cpu. Give
   tide.advise nothing to find.

`tide lesson 22 --answers` shows answers.]]
