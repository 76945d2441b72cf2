-- tide training.lua FILE STEPS [DEVICE]: trains a small network, saves a profile of it as FILE, and
-- prints its kernels.
local tide = require "tide"
local nn, F = tide.nn, tide.nn.functional

tide.manual_seed(1)
tide.set_default_device(arg[3] or "cpu")
local net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1})
local x, y = tide.randn(128, 784), tide.randint(1, 10, {128})
local range = tide.profiler.record_function

local function step()
  optimizer:zero_grad()
  local loss = range("forward", function() return F.cross_entropy(net(x), y) end)
  range("backward", function() loss:backward() end)
  range("update", function() optimizer:step() end)
  return loss
end

step():item()
local p = tide.profile(function()
  for i = 1, tonumber(arg[2]) do
    local loss = step()
    if i % 4 == 0 then loss:item() end
  end
end)
p:save(arg[1])
for _, row in ipairs(p:table{by = "kernel"}) do
  print(("%s\t%d\t%.6f"):format(row.name, row.calls, row.device_ms))
end
