-- Answers to the exercises of lesson 5, training loop.
--
-- To try them:   tide lesson 5 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local nn, optim, data = tide.nn, tide.optim, tide.data
local F = nn.functional

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local images, labels = data.digits()
local x = (images:to("float32"):unsqueeze(2) / 16):to(device)
local y = (labels:to("int64") + 1):to(device)

--- A small network, trained for two passes: it and its loss in each pass.
local function train(given)
  tide.manual_seed(1)
  local net = nn.Sequential(
    nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 10)
  ):to(device)
  local optimizer = optim.SGD(net:parameters(), given)
  local losses = {}
  for epoch = 1, 2 do
    local total = tide.zeros({}, {device = device})
    for batch, class in data.DataLoader(data.TensorDataset(x, y), {batch_size = 64}) do
      optimizer:zero_grad()
      local loss = F.cross_entropy(net(batch), class)
      loss:backward()
      optimizer:step()
      total = total + loss:detach()
    end
    losses[epoch] = total:item()
  end
  return net, losses
end

-- 1. Train without momentum, and with a learning rate ten times smaller.
heading "1. Momentum and learning rate"

local net, losses = train {lr = 0.05, momentum = 0.9}
local _, without = train {lr = 0.05}
local _, slower = train {lr = 0.005, momentum = 0.9}
print(("loss of the second pass: %.2f; without momentum %.2f; a tenth of the rate %.2f"):format(
  losses[2], without[2], slower[2]))
-- Momentum 0.9 adds up about ten steps, so both are about ten times slower, at first.
assert(losses[2] < without[2] and losses[2] < slower[2])

-- 2. A table of which digits are taken for which others.
heading "2. What is taken for what"

net:eval()
local answers = tide.no_grad(net, x):argmax(2)
-- Each pair (truth, answer) is one of 100 places; count how often each comes.
local places = (y - 1) * 10 + answers
local table_of_answers = places:bincount({minlength = 100}):reshape(10, 10)
tide.plot.confusion_matrix(table_of_answers, {classes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}):show()
assert(table_of_answers:sum():item() == 1797)
local right = answers:eq(y):sum():item()
assert(table_of_answers:diagonal():sum():item() == right, "what is right stands on the diagonal")

-- 3. Leave out eval in the exam. Is the same digit given the same answer twice?
heading "3. Without eval"

net:train()
local one, other = net(x):detach(), net(x):detach()
assert(not one:equal(other), "dropout leaves out other numbers each time")
net:eval()
assert(net(x):detach():equal(net(x):detach()), "in eval it leaves out none")
print("in train dropout is at work: the scores differ from call to call")
