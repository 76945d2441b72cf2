-- Answers to the exercises of lesson 13, memory.
--
-- To try them:   tide lesson 13 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local nn, optim = tide.nn, tide.optim

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

--- MB that tensors hold on the device.
local function held()
  collectgarbage()
  tide.synchronize(device)
  return tide.memory_allocated(device) / 2 ^ 20
end

-- 1. Weights, gradients and Adam's two numbers for a million weights.
heading "1. Four numbers for each weight"

local before = held()
local net = nn.Linear(1024, 1024, {bias = false}):to(device) -- 2^20 weights
local optimizer = optim.Adam(net:parameters(), {lr = 1e-3})
net(tide.ones(1, 1024, {device = device})):sum():backward()
optimizer:step()
local expected = 4 * 1024 * 1024 * 4 / 2 ^ 20
print(("expected %.2f MB, found %.2f MB"):format(expected, held() - before))
assert(math.abs(held() - before - expected) < 0.1)
assert(net.weight.requires_grad and optimizer)

-- 2. What makes new memory?
heading "2. New memory or a view"

local x = tide.zeros(512, 512, {device = device})
local ways = {
  {"x:t()", function() return x:t() end, 0},
  {"x:clone()", function() return x:clone() end, 1},
  {"x[1]", function() return x[1] end, 0},
  {"x + 0", function() return x + 0 end, 1},
  {"x:reshape(-1)", function() return x:reshape(-1) end, 0},
  -- Read column by column the numbers lie in another order: that cannot be a view.
  {"x:t():reshape(-1)", function() return x:t():reshape(-1) end, 1},
}
for _, way in ipairs(ways) do
  local words, fn, cost = table.unpack(way)
  before = held()
  local result = fn()
  local found = held() - before
  print(("%-18s %5.2f MB"):format(words, found))
  assert(math.abs(found - cost) < 0.05 and result:numel() > 0)
end

-- 3. The sum of squares of 64 MB with a peak of less than 20 MB.
heading "3. In parts"

before = held()
tide.reset_peak_memory_stats(device)
local total = 0
for part = 0, 15 do -- 16 parts of 4 MB
  local numbers <close> = tide.full({2 ^ 20}, part % 2, {dtype = "float32", device = device})
  total = total + (numbers * numbers):sum():item()
end
local peak = tide.max_memory_allocated(device) / 2 ^ 20 - before
print(("%d, with a peak of %.1f MB"):format(total, peak))
assert(total == 8 * 2 ^ 20 and peak < 20)
