-- Workloads that train: forward, loss, backward and update, as a script writes them.
local tide = require "tide"
local nn, optim = tide.nn, tide.optim
local F = nn.functional

--- A function that trains `net` for some steps on one batch and reads the last loss.
local function training(net, optimizer, x, classes, steps)
  local y = tide.randint(1, classes, {#x}):to(x.device)
  return function()
    local loss
    for _ = 1, steps do
      optimizer:zero_grad()
      loss = F.cross_entropy(net(x), y)
      loss:backward()
      optimizer:step()
    end
    return loss:item()
  end
end

local function mlp(device)
  local net = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10)):to(device)
  local optimizer = optim.SGD(net:parameters(), {lr = 0.01})
  return training(net, optimizer, tide.randn(64, 784, {device = device}), 10, 200)
end

local function lenet(device)
  local net = nn.Sequential(
    nn.Conv2d(1, 6, 5, {padding = 2}), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
    nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)):to(device)
  local optimizer = optim.Adam(net:parameters(), {lr = 1e-3})
  return training(net, optimizer, tide.randn(64, 1, 28, 28, {device = device}), 10, 50)
end

return {
  {
    name = "mlp_step",
    words = "784-128-10 ReLU network, batch 64, SGD, cross entropy; 200 training steps",
    unit = "us/step",
    figure = function(t) return t / 200 * 1e6 end,
    make = mlp,
  },
  {
    name = "lenet_train",
    words = "LeNet, batch 64 of (1, 28, 28), Adam; 50 training steps",
    unit = "images/s",
    more_is_better = true,
    figure = function(t) return 64 * 50 / t end,
    make = lenet,
  },
}
