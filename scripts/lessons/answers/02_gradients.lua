-- Answers to the exercises of lesson 2, gradients.
--
-- To try them:   tide lesson 2 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local nn, optim = tide.nn, tide.optim
local F = nn.functional

local options = tide.args {device = "cpu"}
tide.set_default_device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. A ball at height h falls for sqrt(2 h / 9.81) seconds. From which height for 2 seconds?
heading "1. The height of a fall"

local height = tide.tensor(1.0):requires_grad_(true) -- not 0: there sqrt is infinitely steep
for _ = 1, 100 do
  local seconds = (2 * height / 9.81):sqrt()
  local error = (seconds - 2) ^ 2
  error:backward()
  -- The slope is small (a metre changes little), so the learning rate has to be large.
  tide.no_grad(function() height:sub_(50 * height.grad) end)
  height.grad = nil
end
print(("from %.2f m"):format(height:item()))
assert(math.abs(height:item() - 19.62) < 0.01)

-- 2. Leave out optimizer:zero_grad(). What happens to the line, and why?
heading "2. Without zero_grad"

local inputs = tide.linspace(-1, 1, 64):reshape(64, 1)
local targets = 2 * inputs + 1

--- Learns the line in some steps, clearing gradients or not; returns the losses.
local function learn(clears)
  local layer = nn.Linear(1, 1)
  local optimizer = optim.SGD(layer:parameters(), {lr = 0.1})
  local losses = {}
  for step = 1, 60 do
    if clears then optimizer:zero_grad() end
    local loss = F.mse_loss(layer(inputs), targets)
    loss:backward()
    optimizer:step()
    losses[step] = loss:item()
  end
  return losses
end

-- Each step goes by the sum of all slopes so far, as a ball that rolls without friction: it runs
-- through the lowest point and up the other side, to and fro, and never comes to rest.
local with, without = learn(true), learn(false)
for step = 5, 60, 5 do
  print(("step %2d   loss %.4f, without zero_grad %.4f"):format(step, with[step], without[step]))
end
local worst = 0
for step = 31, 60 do worst = math.max(worst, without[step]) end
assert(with[60] < 1e-3 and worst > 0.5)

-- 3. Follow abs(inputs) with nn.ReLU(). How many numbers in the middle are enough?
heading "3. A corner from two bends"

-- Two are enough, in principle: |x| = relu(x) + relu(-x).
local exact = inputs:relu() + (-inputs):relu()
assert(exact:allclose(inputs:abs()))

-- Whether learning finds that depends on where it starts: one relu that is 0 for all inputs has no
-- slope and stays so. With some more there is always one at the right place.
for _, middle in ipairs {1, 2, 4, 8, 16} do
  local network = nn.Sequential(nn.Linear(1, middle), nn.ReLU(), nn.Linear(middle, 1))
  local adam = optim.Adam(network:parameters(), {lr = 0.02})
  local loss
  for _ = 1, 300 do
    adam:zero_grad()
    loss = F.mse_loss(network(inputs), inputs:abs())
    loss:backward()
    adam:step()
  end
  print(("%2d in the middle: loss %.5f"):format(middle, loss:item()))
  assert(middle > 1 or loss:item() > 0.001, "one bend makes no two sides")
  assert(middle < 16 or loss:item() < 0.001)
end
