-- Lesson 25: the memory of a training. Who holds it, when is the peak, and how does it get lower?
--
-- Run it:        tide lesson 25
-- On the cpu:    tide lesson 25 --device cpu
-- Very small:    tide lesson 25 --batch 64 --width 8
--
-- Lesson 13 was about single tensors. This one is about a training that does not fit: what fills
-- the memory, a leak, two ways to a lower peak, and what to do when it has run out.
local tide = require "tide"
local nn, optim = tide.nn, tide.optim

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  batch = 2048, -- samples of a step
  width = 64,   -- numbers that a layer gives for each of them
}
local device = tide.device(options.device)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local kMB = 2 ^ 20

--- Megabytes that tensors hold on a device, once the collector has been there.
local function held(where)
  collectgarbage()
  tide.synchronize(where)
  return tide.memory_allocated(where) / kMB
end

--- The most that was held while fn ran, beyond what was held before, in MB; and fn's result.
local function peak_of(where, fn)
  local before = held(where)
  tide.reset_peak_memory_stats(where)
  local result = fn()
  tide.synchronize(where)
  return tide.max_memory_allocated(where) / kMB - before, result
end

--- A line with a number of megabytes and a bar.
local function show(words, megabytes, unit)
  print(("  %-31s %6.2f MB %s"):format(words, megabytes,
    ("#"):rep(math.ceil(megabytes / unit))))
end

-- 1. When is the peak? ----------------------------------------------------------------------------
-- A deep network: eight blocks of four layers. On the way forward each tanh keeps its result for
-- the way back. So memory grows with each layer, is highest where forward ends, and shrinks on the
-- way back, while gradients come in.
--
--   MB        ____
--        ____/    \____
--    ___/              \___      activations
--   /                      \__________________   gradients, weights
--   forward    backward    step
heading "1. When is the peak?"

local block_count = 8

--- The network of this lesson on a device, with layers of a width.
local function make(where, width)
  tide.manual_seed(1)
  local blocks = nn.Sequential()
  for _ = 1, block_count do
    local block = nn.Sequential()
    for _ = 1, 4 do
      block:append(nn.Linear(width, width))
      block:append(nn.Tanh())
    end
    blocks:append(block)
  end
  return blocks:to(where)
end

local width = options.width
local net = make(device, width)
local x = tide.randn(options.batch, width, {device = device})
local one = x.nbytes / kMB -- megabytes of what one layer gives

local start = held(device)
local function forget_gradients(of)
  for _, parameter in ipairs(of:parameters()) do parameter.grad = nil end
end

tide.reset_peak_memory_stats(device)
local loss = net(x):square():mean()
local after_forward = held(device) - start
loss:backward()
local after_backward = held(device) - start
local weights = 0
for _, parameter in ipairs(net:parameters()) do weights = weights + parameter.nbytes / kMB end
show("one result of a layer", one, one)
show("held after forward", after_forward, one)
show("held after backward", after_backward, one)
show("the weights, and so the gradients", weights, one)
assert(after_forward > 31 * one, "32 results wait for the way back")
assert(after_backward < weights + 2 * one, "the gradients are left")

-- Who held it at the peak? A snapshot knows the lines: `at_peak` is about the highest moment since
-- the peak was reset.
local snapshot = tide.memory.snapshot(device)
print(("  at the peak, %.2f MB:"):format(snapshot.peak / kMB))
for i = 1, 2 do
  local holder = snapshot.at_peak[i]
  print(("    %7.2f MB in %2d blocks  %s"):format(holder.bytes / kMB, holder.blocks, holder.line))
end
assert(snapshot.at_peak[1].bytes > 31 * one * kMB, "the line with net(x)")
loss = nil

-- 2. A leak ---------------------------------------------------------------------------------------
-- A training whose memory grows from step to step keeps something that it should not. Take two
-- snapshots, some steps apart: their difference names the line, and the variable that leads there.
heading "2. A leak"

local optimizer = optim.SGD(net:parameters(), {lr = 0.01})
local small = x[{{1, 64}}]
local log = {}

--- Five steps, whose losses are noted by a function.
local function five_steps(note)
  for _ = 1, 5 do
    optimizer:zero_grad()
    local output = net(small)
    local step_loss = output:square():mean()
    step_loss:backward()
    optimizer:step()
    note(output, step_loss)
  end
end

local function careless(output) log[#log + 1] = output end
local function careful(_, step_loss) log[#log + 1] = step_loss:detach() end

five_steps(careful) -- from now on there are gradients
local before = tide.memory.snapshot(device)
five_steps(careless)
local growth = tide.memory.diff(before, tide.memory.snapshot(device))
local leak = growth.holders[1]
local keepers = {}
for _, name in ipairs(leak.names) do
  if name:find "^log" then keepers[#keepers + 1] = name end
end
print(("  %d kB more, most of it made at %s"):format(growth.allocated // 1024, leak.line))
print("  kept by " .. table.concat(keepers, ", "))
assert(growth.allocated >= 5 * 64 * width * 4 and #keepers == 5, "the five outputs")

-- The fix is to keep a single value: the loss, detached. (Values are copied to Lua only when
-- they are read: no wait here either.)
log = {}
before = tide.memory.snapshot(device)
five_steps(careful)
growth = tide.memory.diff(before, tide.memory.snapshot(device))
print(("  fixed: grown by %d bytes in five steps"):format(growth.allocated))
assert(growth.allocated < 64 * width * 4, "five numbers, and not one output")
log = {}

-- 3. Checkpoints: compute again instead of keeping ------------------------------------------------
-- tide.checkpoint(block, x) runs a block without keeping what is inside. On the way back it runs
-- the block again. So the peak has the inputs of all blocks, and the inside of one. The price
-- is a second way forward: a step takes about a third longer.
heading "3. Checkpoints"

--- A step's gradients, with the blocks run by `run`. Returns the loss.
local function gradients(of, input, run)
  forget_gradients(of)
  local y = input
  for i = 1, #of do y = run(of[i], y) end
  local result = y:square():mean()
  result:backward()
  return result:detach()
end

-- With tensors as small as ours Lua's collector does not come round by itself within a step (lesson
-- 13). So that one sees who is needed, it is called before each block. Yours need not do so.
local function plainly(block, y)
  collectgarbage()
  return block(y)
end
local function checkpointed(block, y) return tide.checkpoint(plainly, block, y) end

--- The gradients of the net, as copies.
local function copies()
  local list = {}
  for i, parameter in ipairs(net:parameters()) do list[i] = parameter.grad:clone() end
  return list
end

--- How many products fn computes.
local function products_in(fn)
  local count = 0
  for _, row in ipairs(tide.profile(fn):table {by = "kernel"}) do
    if row.name == "matmul" then count = count + row.calls end
  end
  return count
end

local plain_peak, plain_loss = peak_of(device, function() return gradients(net, x, plainly) end)
local expected = copies()
forget_gradients(net)
local checkpoint_peak, checkpoint_loss = peak_of(device, function()
  return gradients(net, x, checkpointed)
end)
for i, gradient in ipairs(copies()) do assert(gradient:equal(expected[i]), "the same bits") end
assert(checkpoint_loss:equal(plain_loss))
forget_gradients(net)

local plain_products = products_in(function() gradients(net, x, plainly) end)
local checkpoint_products = products_in(function() gradients(net, x, checkpointed) end)
show("all results kept", plain_peak, one)
show("a checkpoint for each block", checkpoint_peak, one)
print(("  products: %d and %d"):format(plain_products, checkpoint_products))
assert(checkpoint_peak < 0.7 * plain_peak, "much less")
assert(checkpoint_products == plain_products + 4 * block_count, "each layer forward again")

-- 4. Small batches, one step ----------------------------------------------------------------------
-- What is kept grows with the batch. Gradients add up: so take the batch in parts, call backward
-- for each, and step once. The loss of a part counts by its share, and the sum is that of the whole
-- batch. (Not with batch norm: that looks at the samples of a part.)
heading "4. Gradient accumulation"

--- The gradients of a batch that is taken in parts. Returns the loss.
local function accumulated(of, input, parts)
  forget_gradients(of)
  local total, rows = 0, #input // parts
  for part = 1, parts do
    local y = input[{{(part - 1) * rows + 1, part * rows}}]
    for i = 1, #of do y = plainly(of[i], y) end
    local result = y:square():mean() / parts
    result:backward()
    total = total + result:detach()
  end
  return total
end

local peaks = {{"1", plain_peak}}
show("the whole batch", plain_peak, one)
for _, parts in ipairs {2, 4, 8} do
  forget_gradients(net)
  local peak, total = peak_of(device, function() return accumulated(net, x, parts) end)
  peaks[#peaks + 1] = {tostring(parts), peak}
  show(("in %d parts"):format(parts), peak, one)
  assert(peak < peaks[#peaks - 1][2], "less with each")
  assert(total:allclose(plain_loss, {rtol = 1e-4}))
  for i, gradient in ipairs(copies()) do
    assert(gradient:allclose(expected[i], {rtol = 1e-3, atol = 1e-6}), "the same up to rounding")
  end
end
peaks[#peaks + 1] = {"checkpoints", checkpoint_peak}
local names, heights = {}, {}
for i, row in ipairs(peaks) do names[i], heights[i] = row[1], row[2] end
tide.plot.figure {size = {640, 280}, title = "MB at the peak: by the number of parts"}
  :bar(names, heights):show()
forget_gradients(net)

-- 5. Out of memory --------------------------------------------------------------------------------
-- A simulated device has as much memory as it is given: here, too little for the step. The error
-- names the device, the sizes, and the lines that hold most. It ends nothing: after it the memory
-- of what was under way is free again, and the script may try something smaller.
heading "5. Out of memory, and the fix"

local sim = tide.device "sim:0"
if device ~= sim then print("This section uses sim:0.") end
local net_there, x_there = make(sim, 64), tide.randn(2048, 64, {device = sim})
local base = held(sim)
local needed, expected_loss = peak_of(sim, function()
  return gradients(net_there, x_there, plainly)
end)
forget_gradients(net_there)
collectgarbage()
tide.empty_cache(sim) -- blocks that are kept for reuse count, too
tide.sim.configure {device = sim, memory_limit = math.ceil((base + 0.6 * needed) * kMB)}

local parts, total = 1, nil
while not total do
  local passed, result = pcall(function()
    local sum = accumulated(net_there, x_there, parts)
    return sum:item() -- read here: what fails on the device is raised where a value is read
  end)
  if passed then
    total = result
    print(("  in %d parts: fine, the loss is %.6f"):format(parts, total))
  else
    print(("  in %d part%s:\n    %s"):format(parts,
      parts > 1 and "s" or "", (result:gsub("; ", ";\n    "))))
    assert(result:find("out of memory on sim:0", 1, true) and result:find(":%d+ holds "))
    parts = parts * 2
  end
end
assert(parts > 1 and math.abs(total - expected_loss:item()) < 1e-4)

-- With checkpoints the whole batch fits as well.
forget_gradients(net_there)
local fitting = gradients(net_there, x_there, checkpointed):item()
print(("  with checkpoints: fine, the loss is %.6f"):format(fitting))
assert(math.abs(fitting - expected_loss:item()) < 1e-4)
tide.sim.configure {device = sim, memory_limit = 2 ^ 30}

-- What else there is: half types (lesson 18) halve activations, in no_grad nothing is kept, SGD
-- remembers less of each weight than Adam, and smaller inputs or layers need less of all.
print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
`tide lesson 25 --exercises > mine.lua` makes a script of functions that need too much memory. Fix
them, and run it with `tide mine.lua`: it says which are solved, and gives a hint for the others.

1. evaluate(net, batches) keeps a graph for each batch. Let it keep nothing but the sum.
2. gradients(net, x) takes the whole batch at once. Halve its peak, and keep its gradients.
3. largest_batch(works) finds the largest batch size that fits. Write it.

`tide lesson 25 --answers` shows answers.]]
