-- Answers to the exercises of lesson 19, fine tuning.
--
-- To try them:   tide lesson 19 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local nn, optim = tide.nn, tide.optim

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local function make()
  return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3)):to(device)
end

-- 1. Weights into a file, and from there into a new network.
heading "1. There and back"

local net, path = make(), os.tmpname()
net(tide.randn(16, 4, {device = device})) -- batch norm sees something
tide.save(net:state_dict(), path)
local other = make()
other:load_state_dict(tide.load(path))
os.remove(path)
net:eval()
other:eval()
local x = tide.randn(2, 4, {device = device})
print(net(x))
assert(net(x):equal(other(x)))

-- 2. Frozen, but in the optimizer with weight_decay.
heading "2. Frozen weights and weight decay"

local function moves(prepare)
  local network = make()
  local first = network[1].weight
  local before = first:detach():clone()
  local optimizer = optim.SGD(network:parameters(), {lr = 0.1, weight_decay = 0.1})
  prepare(network)
  network(x):sum():backward()
  if first.grad then first.grad:zero_() end
  optimizer:step()
  return not first:equal(before)
end
local frozen = moves(function(network) network[1]:requires_grad_(false) end)
local zeroed = moves(function() end)
print(("frozen: %s; gradient zero: %s"):format(frozen and "moves" or "stays",
  zeroed and "moves" or "stays"))
-- No gradient, no step. A gradient of zero is one, and the decay comes on top of it.
assert(not frozen and zeroed)

-- 3. A head for 5 classes on ResNet-18, and all but that frozen.
heading "3. ResNet-18 with another head"

local resnet = tide.vision.models.resnet18()
resnet:requires_grad_(false)
resnet.fc = nn.Linear(512, 5)
local left = 0
for _, parameter in ipairs(resnet:parameters()) do
  if parameter.requires_grad then left = left + parameter:numel() end
end
print(left .. " parameters are left to learn")
assert(left == 512 * 5 + 5)
