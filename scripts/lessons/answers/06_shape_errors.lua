-- Answers to the exercises of lesson 6, shape errors.
--
-- To try them:   tide lesson 6 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local nn = tide.nn

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. Which sizes has the output of nn.Conv2d(3, 8, 5, {stride = 2})?
heading "1. Sizes after a convolution"

-- The first window starts at 1, each other one `stride` further, the last must end within the
-- picture: so there is 1, and one more for each stride that fits into what the first leaves.
local function size_after(size, window, stride, padding)
  return (size + 2 * padding - window) // stride + 1
end
local layer = nn.Conv2d(3, 8, 5, {stride = 2}):to(device)
for size = 5, 40, 7 do
  local output = layer(tide.zeros(1, 3, size, size, {device = device}))
  print(("%2d -> %2d"):format(size, output.shape[3]))
  assert(output.shape[3] == size_after(size, 5, 2, 0) and output.shape[2] == 8)
end

-- 2. Shapes that broadcast: compared from the right, sizes must be equal, or one of them 1.
heading "2. Broadcasting"

local function shape_of_sum(a, b)
  local ok, result = pcall(function() return (tide.zeros(a) + tide.zeros(b)).shape end)
  return ok and table.concat(result, ", ") or result
end
assert(shape_of_sum({4, 1}, {3}) == "4, 3")
assert(shape_of_sum({4, 1}, {4}) == "4, 4")
assert(shape_of_sum({2, 1, 3}, {5, 1}) == "2, 5, 3")
print(shape_of_sum({2, 3}, {2}))
assert(shape_of_sum({2, 3}, {2}):find("do not broadcast", 1, true))

-- 3. Name the layers that did work before the error.
heading "3. The layers that worked"

local function call(net, x)
  local worked, removers = {}, {}
  for _, child in ipairs(net:children()) do
    removers[#removers + 1] = child:register_forward_hook(function(module)
      worked[#worked + 1] = tostring(module)
    end)
  end
  local ok, result = pcall(net, x)
  for _, remove in ipairs(removers) do remove() end
  if ok then return result end
  return nil, ("worked: %s; then %s"):format(table.concat(worked, ", "), result)
end
local net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(9, 2)):to(device)
local result, complaint = call(net, tide.zeros(1, 4, {device = device}))
print(complaint)
assert(not result and complaint:find("ReLU", 1, true) and complaint:find("net[3]", 1, true))
net[3] = nn.Linear(8, 2):to(device)
assert(call(net, tide.zeros(1, 4, {device = device})).shape[2] == 2)
