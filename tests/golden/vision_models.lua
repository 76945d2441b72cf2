-- Compares tide.vision.models with torchvision's networks, whose weights are set by a formula: names
-- and shapes of the state_dict in order, counts, the output, the loss and the norm of its gradients.
local tide = require "tide"

local vision_models = {}

local function iota(count) return tide.arange(count, {dtype = "float64"}) end

local function product(shape)
  local count = 1
  for _, size in ipairs(shape) do count = count * size end
  return count
end

--- {name, tensor} of all parameters and buffers, in the order of the state_dict: those of each module
--- before those of its children.
local function entries_of(net)
  local entries = {}
  for path, module in net:named_modules() do
    local prefix = path == "" and "" or path .. "."
    for _, kind in ipairs {"named_parameters", "named_buffers"} do
      for name, tensor in module[kind](module) do
        if not name:find(".", 1, true) then entries[#entries + 1] = {prefix .. name, tensor} end
      end
    end
  end
  return entries
end

local function check_entries(case, net)
  local entries = entries_of(net)
  if #entries ~= #case.keys then
    return ("%d entries, expected %d"):format(#entries, #case.keys)
  end
  for i, key in ipairs(case.keys) do
    local name, shape = entries[i][1], table.concat(entries[i][2].shape, ", ")
    local expected = table.concat(case.shapes[i], ", ")
    if name ~= key then return ("entry %d is %s, expected %s"):format(i, name, key) end
    if shape ~= expected then return ("%s is (%s), expected (%s)"):format(key, shape, expected) end
  end
  local parameters = 0
  for _, parameter in ipairs(net:parameters()) do parameters = parameters + parameter:numel() end
  if parameters ~= case.parameters then
    return ("%d parameters, expected %d"):format(parameters, case.parameters)
  end
end

--- The values of entry `key`, which is number `k` from 0.
local function formula(key, shape, k)
  local count = product(shape)
  local wave = iota(count):mul(0.7):add(1.3 * k + 0.1):sin()
  if #shape >= 2 then
    wave = wave * math.sqrt(2 / (count / shape[1]))
  elseif key:find "running_mean$" or key:find "bias$" then
    wave = wave * 0.05
  else
    wave = wave * 0.1 + 1
  end
  return wave:to("float32"):reshape(shape)
end

--- Sets the state of a network by the formula.
function vision_models.set_weights(net)
  local state, k = {}, 0
  for _, entry in ipairs(entries_of(net)) do
    local key, tensor = table.unpack(entry)
    if key:find "num_batches_tracked$" then
      state[key] = tide.zeros({}, {dtype = "int64"})
    else
      state[key] = formula(key, tensor.shape, k)
      k = k + 1
    end
  end
  net:load_state_dict(state)
end

--- The images that the networks are run on.
function vision_models.images(...)
  local i = iota(product {...})
  return (i * 0.9 + i * i * 0.002 + 0.2):sin():to("float32"):reshape(...)
end

--- Switches off what draws random numbers in training.
local function without_dropout(net)
  for _, module in ipairs(net:modules()) do
    local name = getmetatable(module).name
    if name == "Dropout" or name == "StochasticDepth" then module.p = 0 end
  end
end

local function difference(what, got, expected, most)
  if math.abs(got - expected) <= most then return end
  return ("%s is %.9g, expected %.9g"):format(what, got, expected)
end

local function check_output(case, expected, net, x)
  net:eval()
  local output = tide.no_grad(function() return net(x):to("cpu"):to("float64") end)
  expected = expected:to("float64")
  local off = (output - expected):abs():max():item()
  local most = case.rtol.output * expected:abs():max():item()
  if off <= most then return end
  return ("output is off by %.3g, %.3g is allowed"):format(off, most)
end

local function check_training(case, net, x, target)
  net:train()
  local loss = tide.nn.functional.cross_entropy(net(x), target)
  local wrong = case.loss and difference("loss", loss:item(), case.loss, case.rtol.loss * case.loss)
  if wrong or not case.grad_norm then return wrong end
  loss:backward()
  local squares = 0
  for _, parameter in ipairs(net:parameters()) do
    squares = squares + (parameter.grad:to("float64") ^ 2):sum():item()
  end
  return difference("grad_norm", math.sqrt(squares), case.grad_norm,
    case.rtol.grad_norm * case.grad_norm)
end

local function check(case, tensors, device)
  local net = tide.vision.models[case.model](case.options)
  local wrong = check_entries(case, net)
  if wrong then return wrong end
  vision_models.set_weights(net)
  net:to(device)
  without_dropout(net)
  local x = vision_models.images(table.unpack(case.input)):to(device)
  local expected, target = tensors[case.model .. ".output"], {}
  for b = 0, case.input[1] - 1 do target[b + 1] = (3 * b + 1) % expected:size(2) + 1 end
  return check_output(case, expected, net, x)
    or check_training(case, net, x, tide.tensor(target):to(device))
end

--- Runs all networks; calls report(words, status, message) for each.
function vision_models.run(folder, device, report)
  local golden = dofile(folder .. "/vision.lua")
  local tensors = tide.load(folder .. "/" .. golden.file)
  for _, case in ipairs(golden.models) do
    local ok, wrong = pcall(check, case, tensors, device)
    report(case.model, ok and not wrong and "passed" or "failed", tostring(wrong))
    collectgarbage() -- the network of the last case
  end
end

return vision_models
