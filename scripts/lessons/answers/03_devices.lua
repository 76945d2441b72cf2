-- Answers to the exercises of lesson 3, devices.
--
-- To try them:   tide lesson 3 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. A function that adds two tensors wherever they are. Which one should travel?
heading "1. Adding across devices"

local function same_place(x, y) return x + y:to(x.device) end
local here, there = tide.ones(3), tide.ones(3, {device = device})
assert(same_place(here, there).device == here.device)
assert(same_place(there, here).device == device)
-- The smaller one travels. Of a tensor and a number in a tensor of no dimensions, none has to.
assert((there + tide.tensor(1.0)).device == device)
print("the second comes to the first; put the larger one first")

-- 2. What are the devices of x + 1, of x:to("sim:1") and of x:cpu(), if x is on sim:0?
heading "2. Where results are"

local x = tide.ones(2, {device = "sim:0"})
print(x + 1)          -- where x is
print(x:to("sim:1"))  -- where it was sent
print(x:cpu())
assert((x + 1).device == x.device and x:to("sim:1").device == tide.device("sim:1"))
assert(x:cpu().device == tide.device("cpu"))

-- 3. Is net[1].weight another tensor after net:to(device)? Is x, after x = x:to(device)?
heading "3. In place or new"

local net = tide.nn.Sequential(tide.nn.Linear(2, 2))
local weight = net[1].weight
local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1})
local far = tide.device(device.type == "cpu" and "sim:0" or device)
net:to(far)
assert(net[1].weight == weight and weight.device == far, "the same tensor, moved")
-- The optimizer was given these tensors. Were they new ones, it would go on with the old.
assert(optimizer.param_groups[1].params[1] == weight)
local y = tide.ones(2)
assert(y:to(far) ~= y, "a tensor may be used by others, who want it to stay where it is")
print("a module moves what it holds; a tensor stays, and you get another one")
