-- Answers to the exercises of lesson 10, two devices.
--
-- To try them:   tide lesson 10 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local F = tide.nn.functional

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local first = device.type == "cpu" and tide.device("sim:0") or device
local second = tide.device(first.type .. ":1")
if #tide.devices(first.type) < 2 then first, second = tide.device("sim:0"), tide.device("sim:1") end

-- 1. The mean of two tensors on two devices: a whole tensor travels, or one number.
heading "1. What travels"

local x, y = tide.ones(1000, {device = first}), tide.full({1000}, 3.0, {device = second})
local whole = tide.cat({x, y:to(first)}):mean()            -- 4000 bytes
local number = (x:sum() + y:sum():to(first)) / 2000        -- 4 bytes: y's sum is made over there
print(("%g and %g"):format(whole:item(), number:item()))
assert(whole:item() == 2 and number:item() == 2)

-- 2. Parts of 32, 16 and 16 samples. Which weights must their gradients have?
heading "2. Uneven parts"

local inputs, targets, weights = tide.randn(64, 8), tide.randn(64, 1), tide.randn(1, 8)
local function gradient(where, from, count)
  local w = weights:to(where):requires_grad_(true)
  local samples = inputs:narrow(1, from, count):to(where)
  F.mse_loss(F.linear(samples, w), targets:narrow(1, from, count):to(where)):backward()
  return w.grad:to(first)
end
-- A loss is a mean over its part, so each counts by its share of the samples: 1/2, 1/4, 1/4.
local parts = gradient(first, 1, 32) / 2 + gradient(second, 33, 16) / 4
  + gradient(second, 49, 16) / 4
assert(parts:allclose(gradient(first, 1, 64), {rtol = 1e-4, atol = 1e-6}))
print("their shares of the samples: 1/2, 1/4 and 1/4")

-- 3. Ask events whether they are done, and count.
heading "3. Meanwhile"

for _, where in ipairs {first, second} do
  if where.type == "sim" then tide.sim.configure {device = where, launch_cost = 20e-3} end
end
local marks = {}
for i, where in ipairs {first, second} do
  local _ = tide.ones(10, {device = where}) + 1
  marks[i] = tide.Event {device = where}
  marks[i]:record()
end
local asked = 0
while not (marks[1]:query() and marks[2]:query()) do
  asked = asked + 1
  tide.sleep(1e-3) -- something else could be done here
end
print(("asked %d times in vain"):format(asked))
assert(marks[1]:query() and marks[2]:query(), "what is done stays done")
