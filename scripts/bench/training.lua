-- Workloads that train: forward, loss, backward and update, as a script writes them.
local tide = require "tide"
local nn, optim = tide.nn, tide.optim
local F = nn.functional
local Gpt = require "bench.gpt"
local class = require "tide.class"
local steps = require "bench.steps"
local steps_of, training = steps.of, steps.of_classes

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

--- The network of lesson 5.
local function digits(device)
  local net = nn.Sequential(
    nn.Conv2d(1, 16, 3, {padding = 1}), nn.ReLU(),
    nn.Conv2d(16, 32, 3, {padding = 1}), nn.ReLU(),
    nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.5),
    nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 10)):to(device)
  local optimizer = optim.SGD(net:parameters(), {lr = 0.02, momentum = 0.9})
  return training(net, optimizer, tide.randn(32, 1, 8, 8, {device = device}), 10, 45)
end

-- ResNet-18 --------------------------------------------------------------------------------------

local Block = class("Block", nn.Module)

function Block:init(inputs, outputs, stride)
  self.conv1 = nn.Conv2d(inputs, outputs, 3, {stride = stride, padding = 1, bias = false})
  self.bn1 = nn.BatchNorm2d(outputs)
  self.conv2 = nn.Conv2d(outputs, outputs, 3, {padding = 1, bias = false})
  self.bn2 = nn.BatchNorm2d(outputs)
  if stride ~= 1 or inputs ~= outputs then
    self.downsample = nn.Sequential(
      nn.Conv2d(inputs, outputs, 1, {stride = stride, bias = false}), nn.BatchNorm2d(outputs))
  end
end

function Block:forward(x)
  local y = self.bn2(self.conv2(self.bn1(self.conv1(x)):relu()))
  return (y + (self.downsample and self.downsample(x) or x)):relu()
end

local function resnet18()
  local net = nn.Sequential(
    nn.Conv2d(3, 64, 7, {stride = 2, padding = 3, bias = false}), nn.BatchNorm2d(64), nn.ReLU(),
    nn.MaxPool2d(3, 2, 1))
  local inputs = 64
  for stage, outputs in ipairs {64, 128, 256, 512} do
    net:add(Block(inputs, outputs, stage == 1 and 1 or 2), Block(outputs, outputs, 1))
    inputs = outputs
  end
  return net:add(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))
end

local function resnet18_forward(device)
  local net, x = resnet18():to(device):eval(), tide.randn(16, 3, 224, 224, {device = device})
  return function()
    local y = tide.no_grad(function() return net(x) end)
    tide.synchronize(device)
    return y
  end
end

local function resnet18_training(device)
  local net = resnet18():to(device)
  local optimizer = optim.SGD(net:parameters(), {lr = 0.001})
  return training(net, optimizer, tide.randn(16, 3, 224, 224, {device = device}), 1000, 1)
end

local function resnet50_training(device)
  local net = tide.vision.models.resnet50():to(device)
  local optimizer = optim.SGD(net:parameters(), {lr = 0.001})
  return training(net, optimizer, tide.randn(16, 3, 224, 224, {device = device}), 1000, 1)
end

-- Sequences ---------------------------------------------------------------------------------------

local function lstm(device)
  local net = nn.LSTM(256, 256, {num_layers = 2}):to(device)
  local optimizer = optim.Adam(net:parameters(), {lr = 1e-3})
  local x = tide.randn(64, 32, 256, {device = device})
  local y = tide.randn_like(x)
  return steps_of(optimizer, 5, function() return F.mse_loss((net(x)), y) end)
end

--- Training steps of a GPT with a number of heads and a batch size.
local function gpt(heads, batch)
  return function(device)
    local net = Gpt(1000, 128, 256, heads, 4):to(device)
    local optimizer = optim.AdamW(net:parameters(), {lr = 1e-3})
    local text = tide.randint(1, 1000, {batch, 129}, {device = device})
    local x, y = text:narrow(2, 1, 128), text:narrow(2, 2, 128):flatten()
    return steps_of(optimizer, 2, function() return F.cross_entropy(net(x):flatten(1, 2), y) end)
  end
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
  {
    name = "digits_train",
    words = "the network of lesson 5, batch 32 of (1, 8, 8), SGD with momentum; 45 training steps",
    unit = "us/step",
    figure = function(t) return t / 45 * 1e6 end,
    make = digits,
  },
  {
    name = "resnet18_fwd",
    words = "ResNet-18, evaluation without gradients, batch 16 of (3, 224, 224)",
    unit = "images/s",
    more_is_better = true,
    figure = function(t) return 16 / t end,
    make = resnet18_forward,
  },
  {
    name = "resnet18_train",
    words = "ResNet-18, batch 16 of (3, 224, 224), cross entropy, SGD; one training step",
    unit = "images/s",
    more_is_better = true,
    figure = function(t) return 16 / t end,
    make = resnet18_training,
  },
  {
    name = "resnet50_train",
    words = "ResNet-50, batch 16 of (3, 224, 224), cross entropy, SGD; one training step",
    unit = "images/s",
    more_is_better = true,
    figure = function(t) return 16 / t end,
    make = resnet50_training,
  },
  {
    name = "lstm_train",
    words = "LSTM of 2 layers of 256, 64 steps, batch 32, squared error, Adam; 5 training steps",
    unit = "ms/step",
    figure = function(t) return t / 5 * 1e3 end,
    make = lstm,
  },
  {
    name = "gpt_train",
    words = "GPT of 4 layers of 256, 4 heads, 1000 tokens, batch 8 of 128, AdamW; 2 training steps",
    unit = "ms/step",
    figure = function(t) return t / 2 * 1e3 end,
    make = gpt(4, 8),
  },
  {
    name = "decoder_train",
    words = "as gpt_train with 8 heads and batch 16; 2 training steps",
    unit = "ms/step",
    figure = function(t) return t / 2 * 1e3 end,
    make = gpt(8, 16),
  },
}
