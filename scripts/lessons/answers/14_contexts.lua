-- Answers to the exercises of lesson 14, contexts.
--
-- To try them:   tide lesson 14 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local nn = tide.nn

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. Three nn.Dense layers and a batch of 7 features: which shapes?
heading "1. Deferred shapes"

local net = nn.Sequential(nn.Dense(16, {activation = "relu"}), nn.Dense(8), nn.Dense(3))
net:initialize {ctx = device}
net(tide.ones(2, 7, {ctx = device}))
local expected = {"16, 7", "16", "8, 16", "8", "3, 8", "3"}
local k = 0
for name, parameter in net:named_parameters() do
  k = k + 1
  local shape = table.concat(parameter.shape, ", ")
  print(("%-10s (%s)"):format(name, shape))
  assert(shape == expected[k] and parameter.ctx == device)
end

-- 2. Bring the input to the net, and the answer to the cpu.
heading "2. evaluate"

local function evaluate(network, x)
  local ctx = network:parameters()[1].ctx
  local _ <close> = tide.no_grad()
  return network(x:as_in_ctx(ctx)):as_in_ctx(tide.cpu())
end
local answer = evaluate(net, tide.ones(2, 7))
assert(answer.ctx == tide.cpu() and answer.shape[2] == 3)
print(answer)

-- 3. A log with one wait for every 100 products.
heading "3. Read in portions"

local a = tide.randn(20, 20, {ctx = device})
local log, portion, reads = {}, {}, 0
for i = 1, 300 do
  portion[#portion + 1] = (a * i):norm()
  if #portion == 100 then
    for _, value in ipairs(tide.stack(portion):tolist()) do log[#log + 1] = value end
    portion, reads = {}, reads + 1
  end
end
print(("%d numbers in %d reads"):format(#log, reads))
assert(#log == 300 and reads == 3 and math.abs(log[2] / log[1] - 2) < 1e-5)
