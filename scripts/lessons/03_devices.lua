-- Lesson 3: devices. Where do tensors live, and how do they get elsewhere?
--
-- Run it:        tide lesson 3
-- On the cpu:    tide lesson 3 --device cpu
-- To change it:  tide lesson 3 --show > mine.lua      and then   tide mine.lua
--
-- Every claim below is checked by an `assert`, so what you read here is what this machine did.
-- Change a line and run it again: the assert that fails tells you what you have just learned.
local tide = require "tide"
local nn = tide.nn

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. What there is --------------------------------------------------------------------------------
-- A device has its own memory and computes on it. "cpu" is this
-- machine's processor; "cuda:0" is the first NVIDIA GPU; "sim:0" and "sim:1" are simulated
-- accelerators: they compute on the processor, but like a real GPU they have their own memory,
-- their own queue and slow links to and from it. So this lesson works anywhere.
heading "1. Devices and their names"

for _, device in ipairs(tide.devices()) do print("  " .. tostring(device)) end

local cpu = tide.device("cpu")
local accelerator = tide.device(options.device)
if accelerator == cpu then
  accelerator = tide.device("sim:0")
  print("You asked for the cpu. Where this lesson needs a second memory, it uses sim:0.")
end
print("The cpu is " .. cpu .. "; our accelerator is " .. accelerator .. ".")
print("Its type is " .. accelerator.type .. ", its number " .. accelerator.index .. ".")

-- A device is a name, so the same name is the same device. The first of a kind may leave out its
-- number.
assert(tide.device(accelerator.type .. ":0") == tide.device(accelerator.type))
assert(#tide.devices(accelerator.type) >= 1, "the kind we chose is among the devices there are")

-- Naming a device that does not exist is allowed: a script may name devices of other machines.
-- Using it is an error.
local far_away = tide.device("cuda:99")
local ok, message = pcall(tide.ones, 2, 2, {device = far_away})
assert(not ok)
print("Using one that is not there:  " .. message)

-- 2. Where a tensor lives -------------------------------------------------------------------------
-- Tensors are made on the cpu unless you say otherwise. `x.device` tells, and so does printing.
heading "2. Where a tensor lives"

local x = tide.arange(6):reshape(2, 3):to("float32")
local y = tide.ones(2, 3, {device = accelerator})
print(x)
print(y)
assert(x.device == cpu)
assert(y.device == accelerator)

-- What is computed from a tensor lives where the tensor lives.
assert((y * 2 + 1).device == accelerator)

-- 3. Moving ---------------------------------------------------------------------------------------
-- `x:to(device)` gives a tensor over there. The one here stays as it is.
heading "3. Moving a tensor makes a new one"

local moved = x:to(accelerator)
print(("x is on %s, moved is on %s"):format(tostring(x.device), tostring(moved.device)))
assert(x.device == cpu and moved.device == accelerator)
assert(moved ~= x, "a tensor of its own")
assert(moved:to(cpu):equal(x), "the same numbers, there and back")

-- From now on they are two: a change over there is not seen here.
moved:add_(100)
assert(x:sum():item() == 15)
assert(moved:sum():item() == 615)

-- Copies between memories are what costs time on a GPU, so `to` copies only when it has to: if the
-- tensor is there already, you get that very tensor back. Write `x = x:to(device)` as often as you
-- like. To force a copy, use copyto.
assert(moved:to(accelerator) == moved, "already there: nothing is copied")
assert(moved:copyto(accelerator) ~= moved, "copyto always copies")
print("x:to(device) copies only if x is elsewhere; x:copyto(device) always does.")

-- 4. Strangers ------------------------------------------------------------------------------------
-- An op needs its tensors in one memory. Moving them is your decision, because it costs time; so
-- tide never does it implicitly, and reports the mismatch immediately, at this line.
heading "4. Tensors on two devices do not mix"

local mixed, complaint = pcall(function() return x + y end)
assert(not mixed)
print("x + y:  " .. complaint)
assert(complaint:find(tostring(cpu), 1, true) and complaint:find(tostring(accelerator), 1, true),
  "the message names both devices")

-- The fix is one word.
local sum = x:to(y.device) + y
assert(sum.device == accelerator)

-- A number has no device: it mixes with everything. So does a tensor of no dimensions on the cpu.
assert((y + 1).device == accelerator)
assert((y + tide.tensor(0.5)).device == accelerator)

-- 5. A device that is surely there ----------------------------------------------------------------
-- Scripts that should run on every machine ask for a GPU and take the cpu if there is none. (With
-- `--device sim`, and in a lesson where there is no GPU, the simulated ones count as GPUs.)
heading "5. A GPU if there is one"

local best = tide.try_gpu()
print(("try_gpu() gives %s; there are %d GPUs."):format(tostring(best), tide.num_gpus()))
assert(tide.num_gpus() > 0 or best == cpu)
assert(tide.try_gpu(99) == cpu, "number 99 is nowhere: cpu")
assert(#tide.try_all_gpus() == math.max(tide.num_gpus(), 1))

-- 6. A model on a device --------------------------------------------------------------------------
-- A module's parameters are tensors, so they live somewhere too. For a module, `to` moves them in
-- place: an optimizer that holds the parameters still holds the right ones afterwards.
heading "6. A model's parameters on a device"

local net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
local first = net[1].weight
assert(first.device == cpu)

local same = net:to(accelerator)
assert(same == net, "to returns the module itself")
assert(net[1].weight == first, "the same parameter tensors, moved")
for name, parameter in net:named_parameters() do
  print(("  %-9s %-8s %s"):format(name, "(" .. table.concat(parameter.shape, ", ") .. ")",
    tostring(parameter.device)))
  assert(parameter.device == accelerator)
end

-- Data on the wrong device is the most common mistake. The error names the layer and both
-- devices.
local fits, advice = pcall(function() return net(x) end)
assert(not fits)
print("net(x):  " .. advice)

local output = net(x:to(accelerator))
assert(output.device == accelerator)
print("net(x:to(device)) works and stays there:")
print(output)

print("\nAll of this was true on " .. tostring(accelerator) .. ".")

print [[

Exercises
---------
1. Write a function same_place(x, y) that adds two tensors wherever they are: the second goes to
   where the first is. Which of the two should travel if one is much larger?
2. What are the devices of x + 1, of x:to("sim:1") and of x:cpu(), if x is on sim:0? Predict, then
   print.
3. After net:to(device), is net[1].weight another tensor than before? And after x = x:to(device),
   is x? Explain why a module does it otherwise than a tensor.

`tide lesson 3 --answers` shows answers.]]
