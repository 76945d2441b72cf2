-- Fails a training at many of its ops and checks what the parameters are afterwards. A program of
-- its own, for failures that nothing can read make the exit status of a process non-zero.
local tide = require "tide"
local compare = require "tide.test.compare"
local nn = tide.nn

--- A small training whose parameters can be looked at after some steps.
local function new_training()
  tide.manual_seed(6)
  local net = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)):to("sim:0")
  local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1})
  local x = tide.randn(5, 4, {device = "sim:0"})
  local y = tide.tensor({1, 2, 1, 2, 1}):to("sim:0")
  local training = {}
  function training.step()
    optimizer:zero_grad()
    nn.functional.cross_entropy(net(x), y):backward()
    optimizer:step()
  end
  --- A failure is raised once, at the first read; the next one gives the value that was kept.
  function training.parameters()
    local values = {}
    for i, parameter in ipairs(net:parameters()) do
      local ok, value = pcall(function() return parameter:tolist() end)
      values[i] = ok and value or parameter:tolist()
    end
    return values
  end
  training.parameters()
  return training
end

local known, whole = {}, new_training()
known[0] = whole.parameters()
for i = 1, 5 do
  whole.step()
  known[i] = whole.parameters()
end

for k = 1, 80 do
  local training = new_training()
  tide.sim.configure {index = 0, fail_op = k}
  for _ = 1, 5 do pcall(training.step) end
  pcall(tide.synchronize)
  tide.sim.configure {index = 0, fail_op = 0}
  local values, found = training.parameters(), false
  for i = 0, 5 do found = found or not compare.equal(values, known[i]) end
  assert(found, ("failing op %d mixed the parameters of several steps"):format(k))
end
print "always the parameters of some step"
