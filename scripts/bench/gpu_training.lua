-- Training in bfloat16 as large as a GPU needs it, and the parts of it that memory bounds. Left out on other devices
-- unless they are named.
local tide = require "tide"
local nn, optim = tide.nn, tide.optim
local F = nn.functional
local Gpt = require "bench.gpt"
local steps = require "bench.steps"

local kImages <const> = 64
local kTexts <const>, kLength <const>, kVocabulary <const> = 8, 1024, 50304
local kRepeats <const> = 20

local function in_half(fn) return tide.autocast({dtype = "bfloat16"}, fn) end

local function resnet50(device)
  local net = tide.vision.models.resnet50():to(device)
  local optimizer = optim.SGD(net:parameters(), {lr = 0.001, momentum = 0.9})
  local x = tide.randn(kImages, 3, 224, 224, {device = device})
  local y = tide.randint(1, 1000, {kImages}, {device = device})
  return steps.of(optimizer, 1, function()
    return in_half(function() return F.cross_entropy(net(x), y) end)
  end)
end

--- GPT-2 of 124 million parameters.
local function gpt2(device) return Gpt(kVocabulary, kLength, 768, 12, 12, true):to(device) end

local function gpt2_training(device)
  local net = gpt2(device)
  local optimizer = optim.AdamW(net:parameters(), {lr = 1e-4})
  local text = tide.randint(1, kVocabulary, {kTexts, kLength + 1}, {device = device})
  local x, y = text:narrow(2, 1, kLength), text:narrow(2, 2, kLength):flatten()
  return steps.of(optimizer, 1, function()
    return in_half(function() return F.cross_entropy(net(x):flatten(1, 2), y) end)
  end)
end

local function adamw(device)
  local parameters = gpt2(device):parameters()
  for _, parameter in ipairs(parameters) do parameter.grad = tide.randn_like(parameter:detach()) end
  local optimizer = optim.AdamW(parameters, {lr = 1e-4})
  return function()
    optimizer:step()
    tide.synchronize(device)
  end
end

--- A function that computes fn(inputs...) and the gradients of its inputs, in bfloat16, `repeats` times.
local function with_gradients(repeats, device, shapes, fn)
  local inputs = {}
  for i, shape in ipairs(shapes) do
    inputs[i] = tide.randn(shape, {device = device}):to("bfloat16"):requires_grad_()
  end
  local dy = tide.randn_like(fn(table.unpack(inputs)):detach())
  return function()
    local results
    for _ = 1, repeats do
      results = {tide.grad(fn(table.unpack(inputs)), inputs, {grad_outputs = dy})}
      tide.flush()
    end
    tide.synchronize(device)
    return results
  end
end

local function cross_entropy(device)
  local y = tide.randint(1, kVocabulary, {8192}, {device = device})
  return with_gradients(1, device, {{8192, kVocabulary}}, function(x) return F.cross_entropy(x, y) end)
end

local function layer_norm(device)
  return with_gradients(kRepeats, device, {{8192, 768}, {768}, {768}}, function(x, weight, bias)
    return F.layer_norm(x, {768}, weight, bias)
  end)
end

local function batch_norm_relu(device)
  local norm = nn.BatchNorm2d(256):to(device)
  return with_gradients(1, device, {{64, 256, 56, 56}}, function(x) return norm(x):relu() end)
end

local function rate(count, unit) return unit, true, function(t) return count / t end end
local function milliseconds() return "ms", false, function(t) return t * 1e3 end end

local function row(name, words, make, unit, more_is_better, figure)
  return {
    name = name,
    words = words,
    unit = unit,
    more_is_better = more_is_better,
    figure = figure,
    make = make,
    only_gpu = true,
  }
end

return {
  row("resnet50_bf16", "ResNet-50, batch 64 of (3, 224, 224), autocast to bfloat16, SGD with momentum; one step",
    resnet50, rate(kImages, "images/s")),
  row("gpt2_train", "GPT-2 (124M), batch 8 of 1024 tokens, autocast to bfloat16, AdamW; one training step",
    gpt2_training, rate(kTexts * kLength, "tokens/s")),
  row("adamw_124m", "the AdamW step of GPT-2 (124M), float32", adamw, milliseconds()),
  row("cross_entropy_50k", "cross entropy of (8192, 50304) in bfloat16, and its gradient", cross_entropy,
    milliseconds()),
  row("layernorm_768", "layer norm of (8192, 768) in bfloat16 and its gradients, 20 times", layer_norm,
    "us", false, function(t) return t / kRepeats * 1e6 end),
  row("batchnorm_relu", "batch norm and relu of (64, 256, 56, 56) in bfloat16, and the gradient", batch_norm_relu,
    milliseconds()),
}
