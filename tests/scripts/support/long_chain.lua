-- A chain of a million ops, for a shell with a small stack: computed, computed and released unread,
-- and with a graph and a backward pass.
local tide = require "tide"

local kLength <const> = 1000000

local function chain(x)
  for _ = 1, kLength do x = x + 1 end
  return x
end

for _, device in ipairs {"cpu", "sim:0"} do
  local zero = tide.zeros({1}, {device = device})
  assert(chain(zero):item() == kLength, "the chain has its value")
  chain(zero)
  collectgarbage()
end

local leaf = tide.zeros({1}, {dtype = "float64", requires_grad = true})
local sum = chain(leaf)
sum:backward()
assert(sum:item() == kLength and leaf.grad:item() == 1, "and its gradient")
sum = nil
collectgarbage()

-- A graph that is released without a backward pass.
chain(leaf)
collectgarbage()
print "a million ops"
