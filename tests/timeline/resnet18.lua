-- Two steps of training ResNet-18, for a profile with many kernels in many layers.
local tide = require "tide"
local F, range = tide.nn.functional, tide.profiler.record_function

tide.manual_seed(1)
tide.set_default_device(tide.accelerator())
local net = tide.vision.models.resnet18()
local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.01, momentum = 0.9})
local x, y = tide.randn(4, 3, 64, 64), tide.randint(1, 1000, {4})

for i = 1, 2 do
  local _ <close> = range("step " .. i)
  optimizer:zero_grad()
  local loss = range("forward", function() return F.cross_entropy(net(x), y) end)
  range("backward", function() loss:backward() end)
  range("update", function() optimizer:step() end)
  print(loss:item())
end
