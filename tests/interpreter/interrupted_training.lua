-- For interrupt_test.cpp: train() runs steps, and then waits, until it is interrupted; check() returns whether the
-- parameters are those after some number of steps, and starts again.
local net, optimizer
local x = tide.randn(5, 4, {device = "sim:0"})
local y = tide.tensor({1, 2, 1, 2, 1}):to("sim:0")
x:tolist() -- computed now, and not drawn again in a step that may be dropped
local kSteps = 400

local function begin()
  tide.manual_seed(6)
  net = tide.nn.Sequential(tide.nn.Linear(4, 3), tide.nn.Tanh(), tide.nn.Linear(3, 2)):to("sim:0")
  optimizer = tide.optim.SGD(net:parameters(), {lr = 0.05, momentum = 0.9})
  for _, parameter in ipairs(net:parameters()) do parameter:tolist() end
end

local function step()
  optimizer:zero_grad()
  tide.nn.functional.cross_entropy(net(x), y):backward()
  optimizer:step()
end

--- All parameters as one text.
local function state()
  local parts = {}
  for _, parameter in ipairs(net:parameters()) do
    for _, value in ipairs(parameter:flatten():tolist()) do parts[#parts + 1] = value end
  end
  return table.concat(parts, " ")
end

begin()
local number_of = {[state()] = 0}
for i = 1, kSteps do
  step()
  number_of[state()] = i
end
begin()

function train()
  print "training"
  io.stdout:flush()
  for _ = 1, kSteps do step() end
  print "trained"
  io.stdout:flush()
  while true do end
end

function check()
  local number = number_of[state()]
  local sum = (tide.ones({3}, {device = "sim:0"}) * 2):cumsum(1):sum():item()
  print((number and sum == 12 and "whole" or "BROKEN") .. " steps", number)
  begin()
end
