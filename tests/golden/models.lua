-- Builds the networks of the golden cases with weights from formulas, runs them and trains them ten
-- steps.
local class = require "tide.class"
local tide = require "tide"

local models = {}

-- Weights, inputs and targets ---------------------------------------------------------------------

local function ramp(count) return tide.arange(count, {dtype = "float64"}) end

local function product(shape)
  local count = 1
  for _, size in ipairs(shape) do count = count * size end
  return count
end

--- Parameter number `k` (from 0) by its formula.
local function formula(parameter, k)
  local shape, count = parameter.shape, product(parameter.shape)
  local wave = ramp(count):mul(0.7):add(1.3 * k + 0.1):sin()
  if parameter.kind == "weight" then
    wave = wave / math.sqrt(count / shape[1])
  elseif parameter.kind == "bias" then
    wave = wave * 0.05
  else
    wave = wave * 0.1 + 1
  end
  return wave:to("float32"):reshape(shape)
end

local function make_input(input, config)
  local i = ramp(product(input.shape))
  if input.formula == "signal" then
    return (i * 0.9 + i * i * 0.002 + input.shift):sin():to("float32"):reshape(input.shape)
  end
  local tokens = {}
  for n = 0, product(input.shape) - 1 do
    tokens[n + 1] = (7 * n + 3 * (n // 5) + 2) % config.vocabulary + 1
  end
  return tide.tensor(tokens):reshape(input.shape)
end

local function make_target(batch, classes)
  local target = {}
  for b = 0, batch - 1 do target[b + 1] = (3 * b + 1) % classes + 1 end
  return tide.tensor(target)
end

-- Architectures -----------------------------------------------------------------------------------

local build = {}

function build.mlp(config)
  local nn, hidden = tide.nn, config.hidden
  return nn.Sequential(nn.Linear(config.inputs, hidden[1]), nn.ReLU(), nn.Linear(hidden[1],
    hidden[2]),
    nn.Tanh(), nn.Linear(hidden[2], config.classes))
end

function build.lenet(config)
  local nn, channels, hidden = tide.nn, config.channels, config.hidden
  return nn.Sequential(
    nn.Conv2d(config.image[1], channels[1], 5, {padding = 2}), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(channels[1], channels[2], 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
    nn.Linear(channels[2] * 5 * 5, hidden[1]), nn.ReLU(), nn.Linear(hidden[1], hidden[2]),
      nn.ReLU(),
    nn.Linear(hidden[2], config.classes))
end

-- Blocks of the residual networks, with names and order as in torchvision.

local function conv(inputs, outputs, size, stride)
  return tide.nn.Conv2d(inputs, outputs, size, {stride = stride, padding = size // 2, bias = false})
end

local Block = class("Block", tide.nn.Module)

function Block:init(inputs, outputs, stride)
  local nn = tide.nn
  self.conv1 = conv(inputs, outputs, 3, stride)
  self.bn1 = nn.BatchNorm2d(outputs)
  self.conv2 = conv(outputs, outputs, 3, 1)
  self.bn2 = nn.BatchNorm2d(outputs)
  if stride ~= 1 or inputs ~= outputs then
    self.downsample = nn.Sequential(conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))
  end
end

function Block:forward(x)
  local y = self.bn2(self.conv2(self.bn1(self.conv1(x)):relu()))
  return (y + (self.downsample and self.downsample(x) or x)):relu()
end

local ResNet = class("ResNet", tide.nn.Module)

function ResNet:init(config)
  local nn, widths = tide.nn, config.widths
  local large = config.stem == "large"
  self.conv1 = conv(config.image[1], widths[1], large and 7 or 3, large and 2 or 1)
  self.bn1 = nn.BatchNorm2d(widths[1])
  self.pool = large and nn.MaxPool2d(3, 2, 1) or nn.Identity()
  local inputs = widths[1]
  for stage, width in ipairs(widths) do
    local blocks = nn.Sequential()
    for i = 1, config.blocks[stage] do
      blocks:add(Block(inputs, width, i == 1 and stage > 1 and 2 or 1))
      inputs = width
    end
    self["layer" .. stage] = blocks
  end
  self.fc = nn.Linear(widths[#widths], config.classes)
end

function ResNet:forward(x)
  x = self.pool(self.bn1(self.conv1(x)):relu())
  for stage = 1, 4 do x = self["layer" .. stage](x) end
  return self.fc(x:mean({3, 4}))
end

build.resnet_small, build.resnet18 = ResNet, ResNet

-- A layer over a sequence (n, length, ...), the mean over the length, and what makes classes of it.
local Averaged = class("Averaged", tide.nn.Module)

function Averaged:init(name, layer, head)
  self.layer_name = name
  self[name] = layer
  self.head = head
end

function Averaged:forward(x) return self.head((self[self.layer_name](x)):mean(2)) end

function build.transformer(config)
  local block = tide.nn.TransformerEncoderLayer(config.size, config.heads, config.feedforward,
    {dropout = 0, activation = "gelu", batch_first = true, norm_first = true})
  return Averaged("block", block, tide.nn.Linear(config.size, config.classes))
end

local function recurrent(name)
  return function(config)
    local rnn = tide.nn[name](config.inputs, config.hidden, config.layers,
      {batch_first = true, bidirectional = config.bidirectional})
    local features = config.hidden * (config.bidirectional and 2 or 1)
    return Averaged("rnn", rnn, tide.nn.Linear(features, config.classes))
  end
end

build.lstm, build.gru = recurrent "LSTM", recurrent "GRU"

function build.embedding(config)
  local nn = tide.nn
  local table_of_rows = nn.Embedding(config.vocabulary, config.size,
    {padding_idx = config.padding_idx})
  local head = nn.Sequential(nn.Linear(config.size, config.hidden), nn.ReLU(),
    nn.Linear(config.hidden, config.classes))
  return Averaged("embedding", table_of_rows, head)
end

--- The network of a case with its weights set.
local function make(case, device)
  local net = build[case.model](case.config)
  local state, k = {}, 0
  for name in net:named_parameters() do
    state[name] = formula(case.parameters[k + 1], k)
    k = k + 1
  end
  if k ~= #case.parameters then
    error(("%d parameters, expected %d"):format(k, #case.parameters), 0)
  end
  local _, unexpected = net:load_state_dict(state, {strict = false}) -- buffers keep their start
  if #unexpected > 0 then error("unexpected: " .. unexpected[1], 0) end
  return net:to(device)
end

-- Comparing ---------------------------------------------------------------------------------------

--- Every element within rtol times the largest magnitude expected.
local function list_difference(what, got, expected, rtol)
  local scale = 0
  for _, value in ipairs(expected) do scale = math.max(scale, math.abs(value)) end
  for i, value in ipairs(expected) do
    if not (math.abs(got[i] - value) <= rtol * scale) then
      return ("%s[%d] is %.9g, expected %.9g"):format(what, i, got[i], value)
    end
  end
end

local function loss_of(net, x, target) return tide.nn.functional.cross_entropy(net(x), target) end

local function check_first_step(case, folder, net, x, target)
  local expected = tide.load(folder .. "/" .. case.file).output
  net:eval()
  local output = net(x):reshape(-1):tolist()
  local difference = list_difference("output", output, expected:reshape(-1):tolist(), case.rtol)
  if difference then return difference end
  net:train()
  local loss = loss_of(net, x, target)
  loss:backward()
  local norms = {}
  for i, parameter in ipairs(net:parameters()) do
    norms[i] = math.sqrt((parameter.grad:to("float64") ^ 2):sum():item())
  end
  return list_difference("loss", {loss:item()}, {case.loss}, case.rtol)
    or list_difference("grad_norms", norms, case.grad_norms, case.rtol)
end

--- lrs, momenta and norms "agree to 1e-6" where training itself has a wider tolerance.
local function check_figures(run, figures)
  return list_difference("lrs", figures.lrs, run.lrs, 1e-6)
    or (run.momenta and list_difference("momenta", figures.momenta, run.momenta, 1e-6))
    or (run.norms and list_difference("norms", figures.norms, run.norms, run.rtol))
    or list_difference("losses", figures.losses, run.losses, run.rtol)
end

local function check_run(run, net, x, target)
  local parameters = net:parameters()
  local optimizer = tide.optim[run.optimizer](parameters, run.options)
  local scheduler = run.scheduler
    and tide.optim.lr_scheduler[run.scheduler](optimizer, run.schedule)
  local figures = {losses = {}, lrs = {}, momenta = {}, norms = {}}
  local group = optimizer.param_groups[1]
  net:train()
  for i = 1, #run.losses do
    optimizer:zero_grad()
    local loss = loss_of(net, x, target)
    loss:backward()
    if run.clip_grad_norm then
      local norm = tide.nn.utils.clip_grad_norm_(parameters, run.clip_grad_norm)
      figures.norms[i] = norm:item()
    end
    figures.lrs[i], figures.momenta[i] = group.lr, group.betas and group.betas[1] or group.momentum
    optimizer:step()
    if scheduler then scheduler:step() end
    figures.losses[i] = loss:item()
  end
  net:eval()
  return check_figures(run, figures)
    or list_difference("eval_loss", {loss_of(net, x, target):item()}, {run.eval_loss}, run.rtol)
end

--- Runs all networks and trainings; calls report(words, status, message) for each.
function models.run(folder, device, report)
  local function check(words, fn)
    local ok, difference = pcall(fn)
    if ok and not difference then return report(words, "passed") end
    report(words, "failed", tostring(difference))
  end
  for _, case in ipairs(dofile(folder .. "/models.lua")) do
    local x = make_input(case.input, case.config):to(device)
    local target = make_target(case.input.shape[1], case.config.classes):to(device)
    check(case.model, function()
      return check_first_step(case, folder, make(case, device), x, target)
    end)
    for _, run in ipairs(case.runs) do
      check(("%s with %s"):format(case.model, run.optimizer), function()
        return check_run(run, make(case, device), x, target)
      end)
    end
  end
end

return models
