-- Lesson 13: memory. What a tensor costs, what costs nothing, when it is released, and the limit.
--
-- Run it:        tide lesson 13
-- On the cpu:    tide lesson 13 --device cpu
--
-- A GPU's memory is small and fast, and running out of it is the most frequent way for a training
-- to end. One MB is 2^20 bytes here: 1024 x 1024.
local tide = require "tide"
local nn, optim = tide.nn, tide.optim

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

--- MB that tensors hold on the device, once all that is queued is done.
local function held()
  tide.synchronize(device)
  return tide.memory_allocated(device) / 2 ^ 20
end

--- The same after Lua's collector has thrown away what nothing refers to (see section 6).
local function held_at_last()
  collectgarbage()
  return held()
end

--- MB that fn needed at its peak, above what was held before.
local function peak_of(fn)
  local before = held_at_last()
  tide.reset_peak_memory_stats(device)
  fn()
  tide.synchronize(device)
  return tide.max_memory_allocated(device) / 2 ^ 20 - before
end

--- A line with a figure and a bar: one character for each 64 kB, or what `part` says.
local function show(words, megabytes, part)
  print(("  %-44s %6.2f MB  %s"):format(words, megabytes,
    ("#"):rep(math.floor(megabytes / (part or 1 / 16) + 0.5))))
end

--- Whether two figures are the same but for some small change.
local function about(a, b) return math.abs(a - b) < 0.06 end

-- 1. What a tensor costs --------------------------------------------------------------------------
-- The number of its elements, times the bytes of its type. Nothing else is worth mentioning.
heading "1. What 256 x 256 numbers cost"

for _, type in ipairs {"float64", "float32", "float16", "bfloat16", "int64", "uint8", "bool"} do
  local before = held_at_last()
  local x = tide.zeros(256, 256, {dtype = type, device = device})
  local cost = held() - before
  show(("%-9s %d elements x %d bytes"):format(type, x:numel(), x.itemsize), cost)
  assert(x.nbytes == x:numel() * x.itemsize and about(cost, x.nbytes / 2 ^ 20))
end

-- 2. Views ----------------------------------------------------------------------------------------
-- A slice, a row, a transposed matrix, another shape: none of them is a new array of numbers. They
-- are views: another way to look at the same memory. They cost nothing, however large they are.
heading "2. Views are free"

local x = tide.zeros(256, 256, {device = device})
local before = held_at_last()
local transposed, rows, row, cut = x:t(), x:narrow(1, 1, 100), x[7], x:reshape(512, 128)
show("x", before)
show("x, and four views of it", held())
assert(about(held(), before))

-- The same memory: who writes into a view writes into x. A copy is made by clone.
local copy = x:clone()
row:fill_(5)
print(("  x:sum() after row:fill_(5) is %d; the copy made before has %d"):format(x:sum():item(),
  copy:sum():item()))
assert(x:sum():item() == 5 * 256 and copy:sum():item() == 0)
assert(transposed:sum():item() == 5 * 256 and rows:sum():item() == 5 * 256)
show("x, its views, and a copy", held())
assert(about(held(), before + 0.25), "the copy has memory of its own")

-- A view keeps all of its memory alive: one row is enough to hold the whole matrix.
x, transposed, rows, cut, copy = nil, nil, nil, nil, nil
show("only one row of x is left", held_at_last())
assert(about(held(), before) and row:numel() == 256)
row = row:clone() -- a row of its own
show("only a copy of that row is left", held_at_last())
assert(about(held(), before - 0.25))

-- 3. In place -------------------------------------------------------------------------------------
-- `y = x + 1` needs memory for y while x is still there. Methods whose name ends in `_` write their
-- result over their input: no memory, but x as it was is gone.
heading "3. In place"

x = tide.zeros(256, 256, {device = device})
local out_of_place = peak_of(function() return x + 1 end)
local in_place = peak_of(function() x:add_(1) end)
show("peak of y = x + 1", out_of_place)
show("peak of x:add_(1)", in_place)
assert(about(out_of_place, 0.25) and about(in_place, 0))
assert(x:sum():item() == 256 * 256)

-- 4. Chains ---------------------------------------------------------------------------------------
-- A chain of ops has results in between. Op by op, each of them lies in memory for a moment. Fused
-- into one kernel, they live in the registers of the device, an element at a time.
heading "4. A chain: op by op, and fused"

local function chain() return ((x * 2 + 1):relu() * 3):sum():item() end
local fused = peak_of(chain)
local eager = peak_of(function() return tide.eager(chain) end)
show("peak of ((x * 2 + 1):relu() * 3):sum()  eager", eager)
show("                                        fused", fused)
assert(eager > 0.45 and about(fused, 0))

-- 5. What training costs --------------------------------------------------------------------------
-- For each parameter: the parameter, its gradient, and what the optimizer remembers of it. Adam
-- remembers two numbers: four times the parameters in all. Besides, backward needs the inputs of
-- the layers, so those are kept from forward until then.
heading "5. What training costs"

x = nil
before = held_at_last()
local net = nn.Linear(256, 256, {bias = false}):to(device)
local optimizer = optim.Adam(net:parameters())
local samples = tide.ones(4, 256, {device = device})
local parameters = held_at_last() - before
net(samples):sum():backward()
local with_gradients = held_at_last() - before
optimizer:step()
local with_state = held_at_last() - before
show("parameters", parameters)
show("and gradients, after backward", with_gradients)
show("and Adam's two numbers, after the first step", with_state)
assert(about(with_gradients, 2 * parameters) and about(with_state, 4 * parameters))

-- What is kept for backward grows with the batch and the depth. In no_grad nothing is kept.
local batch = tide.ones(256, 256, {device = device})
local deep = nn.Sequential(net, nn.Tanh(), net, nn.Tanh(), net, nn.Tanh())
before = held_at_last()
local result = deep(batch)
local training = held_at_last() - before
result = tide.no_grad(deep, batch)
local judging = held_at_last() - before
-- tanh needs its own results in backward: three of them. Those of the linear layers are no longer
-- needed.
show("after forward through 6 layers", training)
show("the same in no_grad: the result alone", judging)
assert(about(judging, 0.25) and training > 2.5 * judging)

-- 6. When memory is released ----------------------------------------------------------------------
-- Memory is released when nothing in the script refers to a tensor any more, and Lua's collector
-- has noticed. tide informs the collector of the bytes of each tensor, so that it runs in
-- time. You never have to call it.
heading "6. When memory is released"

result, batch, deep, net, optimizer, samples = nil, nil, nil, nil, nil, nil -- the collector's now
local host = tide.zeros(512, 512)
local turns = 300
local loop = peak_of(function()
  for _ = 1, turns do local _ = host:copyto(device) end -- 1 MB, not kept
end)
print(("  peak of a loop that makes 1 MB in each of %d turns: %.1f MB"):format(turns, loop))
assert(loop < turns / 2, "the collector came round in between")

-- What is referred to stays. Growing tables are what "memory leak" mostly means in a script.
before = held_at_last()
local start = tide.memory.snapshot(device)
local kept = {}
for i = 1, 10 do kept[i] = host:copyto(device) end
show("10 tensors of 1 MB in a table", held() - before, 1 / 2)
assert(about(held() - before, 10))

-- Which line made what is held, and which variable leads to it? A snapshot knows, and two of them
-- show what has grown in between.
local growth = tide.memory.diff(start, tide.memory.snapshot(device))
print((tostring(growth):gsub("[^\n]+", "  %0")))
assert(growth.allocated == 10 * 2 ^ 20 and growth.holders[1].blocks == 10)
assert(growth.holders[1].names[1] == "kept[1]")
kept = nil
show("right after kept = nil", held() - before, 1 / 2)
show("when the collector has been there", held_at_last() - before, 1 / 2)
assert(about(held_at_last(), before))

-- A loss drags along all that backward would need. In a log, keep a number or a detached tensor.
local w = tide.ones(256, 256, {device = device}):requires_grad_(true)
tide.synchronize(device)
before = held_at_last()
local log = {}
for step = 1, 5 do log[step] = (w:matmul(w) / step):tanh():sum() end
show("a log of 5 losses", held_at_last() - before)
local with_grad_fn = held() - before
for step = 1, 5 do log[step] = log[step]:detach() end
show("the same, detached", held_at_last() - before)
assert(with_grad_fn > 1.2 and about(held(), before))

-- Who knows better than the collector says so: `free` gives the memory back at once, and a variable
-- marked <close> frees its tensor at the end of its block.
before = held_at_last()
do
  local big <close> = host:copyto(device)
  local other = host:copyto(device)
  show("two tensors of 1 MB", held() - before, 1 / 2)
  other:free()
  show("one of them freed", held() - before, 1 / 2)
  assert(about(held() - before, 1))
  local ok, message = pcall(function() return other + 1 end)
  print("  using it all the same:  " .. message)
  assert(not ok and message:find("freed", 1, true))
  assert(big:sum():item() == 0)
end
show("after the end of the block", held() - before, 1 / 2)
assert(about(held(), before))

-- 7. Going too far --------------------------------------------------------------------------------
-- A simulated accelerator has as much memory as it is configured with, so running out of it is cheap to try.
-- (On a GPU the messages are the same.) sim:0 gets 34 MB more than it uses; sim:1 keeps what it has.
heading "7. Out of memory"

local small, neighbour = tide.device("sim:0"), tide.device("sim:1")
if device ~= small then print("This section uses sim:0 and sim:1.") end
local on_neighbour = tide.zeros(512, 512, {device = neighbour})
tide.synchronize()
local neighbour_held = tide.memory_allocated(neighbour)
collectgarbage()
tide.empty_cache(small)
tide.sim.configure {device = small, memory_limit = tide.memory_allocated(small) + 34 * 2 ^ 20}

local weights = tide.ones(512, 64, {device = small})
tide.synchronize()
--- What a layer makes of `count` MB of inputs, as one number.
local function run(count)
  local inputs = tide.ones(count * 512, 512, {device = small})
  return inputs:matmul(weights):sum():item()
end

local count, total = 64, nil
while not total do
  local ok, answer = pcall(run, count)
  if ok then
    total = answer
    print(("  %2d MB of inputs: fine, the sum is %d"):format(count, total))
  else
    print(("  %2d MB of inputs:\n    %s"):format(count, (answer:gsub("; ", ";\n    "))))
    assert(answer:find("out of memory on sim:0", 1, true), "the device")
    assert(answer:find("asked for %d+%.%d MB") and answer:find("limit %d+%.%d MB"), "how much")
    assert(answer:find(":%d+ holds "), "and which line of this script holds most")
    count = count // 2 -- and now a smaller try
  end
end
assert(count < 32, "32 MB of inputs fill the memory: there is no place for the outputs")
assert(total == count * 512 * 64 * 512, "after an error all is well")

-- The message says what was asked for, what is in use, and which five lines of the script hold most:
-- the places to look at; tide.memory.snapshot(small) also names their variables. What helps: smaller
-- batches, no_grad where nothing is trained, half types, and not to keep what is not needed.
local in_parts = 0
for _ = 1, 64, count do in_parts = in_parts + run(count) end
print(("  64 MB in parts of %d MB: the sum is %d"):format(count, in_parts))
assert(in_parts == 64 / count * total)

print(("  %s meanwhile: %.2f MB before, %.2f MB after"):format(tostring(neighbour),
  neighbour_held / 2 ^ 20, tide.memory_allocated(neighbour) / 2 ^ 20))
assert(tide.memory_allocated(neighbour) == neighbour_held, "each device has its own memory")
assert(on_neighbour:sum():item() == 0)

print("\n" .. tide.memory_summary(device))
print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
1. How much memory do the weights, the gradients and the two numbers of Adam for each weight take
   in a network with a million weights? Compute it, then ask tide.memory_allocated.
2. Which of these make new memory: x:t(), x:clone(), x[1], x + 0, x:reshape(-1), x:t():reshape(-1)?
3. Process 64 MB of numbers in parts with a peak of less than 20 MB: their sum of squares.

`tide lesson 13 --answers` shows answers.]]
