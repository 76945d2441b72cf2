-- Prints a digest of the bits of results that threads share.
local tide = require "tide"
local nn, F = tide.nn, tide.nn.functional

--- Sums in float64 that a changed bit of an element changes.
local function digest(x)
  local values = x:double():flatten()
  local weights = tide.arange(values:numel(), {dtype = "float64"})
  return ("%a %a"):format(values:sum():item(), (values * weights):sum():item())
end

local function show(name, x) print(("%-24s %s"):format(name, digest(x))) end

tide.manual_seed(1)
local a, b = tide.randn(700, 900), tide.randn(900, 500)
show("matmul", a:matmul(b))
show("matmul of one row", a[1]:matmul(b))
show("linear", F.linear(a, tide.randn(333, 900), tide.randn(333)))
show("sum", a:sum())
show("sums of columns", a:sum(1))
show("softmax", a:softmax(2))
show("running sums", tide.randn(3000000):cumsum(1))
show("sorted", (tide.randn(2000000):sort()))
show("scattered", tide.zeros(1000):index_add(1, tide.randint(1, 1000, {300000}), tide.randn(300000)))
show("random", tide.rand(1000000))
show("attention", F.scaled_dot_product_attention(tide.randn(2, 4, 200, 32), tide.randn(2, 4, 200, 32),
  tide.randn(2, 4, 200, 32)))

local function loss(net, x) return (net(x)):square():mean() end

--- The weights after some steps.
local function train(name, net, x)
  local optimizer = tide.optim.AdamW(net:parameters(), {lr = 1e-3})
  for _ = 1, 3 do
    optimizer:zero_grad()
    loss(net, x):backward()
    optimizer:step()
  end
  for i, parameter in ipairs(net:parameters()) do
    if i % 7 == 1 then show(name .. " " .. i, parameter:detach()) end
  end
end

train("ResNet-18", tide.vision.models.resnet18(), tide.randn(2, 3, 64, 64))
train("LSTM", nn.LSTM(64, 64, {num_layers = 2}), tide.randn(20, 8, 64))
train("encoder", nn.TransformerEncoderLayer(64, 4), tide.randn(20, 8, 64))
local net = tide.vision.models.mobilenet_v3_small():eval()
show("MobileNetV3", tide.no_grad(function() return net(tide.randn(1, 3, 96, 96)) end))
