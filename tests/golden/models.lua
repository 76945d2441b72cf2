-- Builds the networks of the golden cases with weights from formulas, runs them and trains them ten
-- steps.
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

--- The network of a case with its weights set; an architecture without a builder is not there yet.
local function make(case, device)
  local builder = build[case.model] or error("attempt to call a nil value (model)", 0)
  local net = builder(case.config)
  local state, k = {}, 0
  for name in net:named_parameters() do
    state[name] = formula(case.parameters[k + 1], k)
    k = k + 1
  end
  if k ~= #case.parameters then
    error(("%d parameters, expected %d"):format(k, #case.parameters), 0)
  end
  net:load_state_dict(state)
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

local function check_run(run, net, x, target)
  if run.scheduler or run.clip_grad_norm then
    error("attempt to call a nil value (scheduler)", 0)
  end
  local optimizer = tide.optim[run.optimizer](net:parameters(), run.options)
  local losses = {}
  net:train()
  for i = 1, #run.losses do
    optimizer:zero_grad()
    local loss = loss_of(net, x, target)
    loss:backward()
    optimizer:step()
    losses[i] = loss:item()
  end
  net:eval()
  return list_difference("losses", losses, run.losses, run.rtol)
    or list_difference("eval_loss", {loss_of(net, x, target):item()}, {run.eval_loss}, run.rtol)
end

--- Runs all networks and trainings; calls report(words, status, message) for each.
function models.run(folder, device, not_there, report)
  local function check(words, fn)
    local ok, difference = pcall(fn)
    if ok then return report(words, difference and "failed" or "passed", difference) end
    report(words, not_there(difference) and "missing" or "failed", tostring(difference))
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
