-- Answers to the exercises of lesson 17, resnet18.
--
-- To try them:   tide lesson 17 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. Parameters of convolutions, batch norms and the last layer.
heading "1. Where the parameters are"

local net = tide.vision.models.resnet18():to(device)
local counts = {convolutions = 0, ["batch norms"] = 0, ["last layer"] = 0}
for name, parameter in net:named_parameters() do
  -- Only the weights of convolutions have four dimensions here: these have no biases.
  local kind = name:find("^fc") and "last layer" or parameter:dim() == 4 and "convolutions"
    or "batch norms"
  counts[kind] = counts[kind] + parameter:numel()
end
local total = 0
for kind, count in pairs(counts) do
  print(("%-14s %9d"):format(kind, count))
  total = total + count
end
assert(total == 11689512 and counts["last layer"] == 513000 and counts["batch norms"] == 9600)

-- 2. The shape after layer4, predicted.
heading "2. Five times half"

-- conv1, maxpool, and layers 2, 3 and 4 halve height and width; what is odd is rounded up.
local function predict(size)
  for _ = 1, 5 do size = (size + 1) // 2 end
  return size
end
assert(predict(224) == 7)
local found
net.layer4:register_forward_hook(function(_, _, output) found = output.shape end)
net:eval()
tide.no_grad(net, tide.zeros(1, 3, 50, 30, {device = device})) -- smaller than asked: quicker
print(("50 x 30 -> %d x %d; 224 -> 7, 100 x 60 -> %d x %d"):format(found[3], found[4], predict(100),
  predict(60)))
assert(found[3] == predict(50) and found[4] == predict(30))

-- 3. Strides from a shape.
heading "3. Strides"

--- Strides of a shape whose dimensions lie in memory in this order, the last one closest.
local function strides_of(shape, order)
  local strides, step = {}, 1
  for i = #order, 1, -1 do
    strides[order[i]] = step
    step = step * shape[order[i]]
  end
  return table.concat(strides, " ")
end
local shape = {2, 3, 4, 5}
local x = tide.zeros(shape, {device = device})
local last = x:to {memory_format = "channels_last"}
print("plain          " .. strides_of(shape, {1, 2, 3, 4}))
print("channels_last  " .. strides_of(shape, {1, 3, 4, 2}))
assert(strides_of(shape, {1, 2, 3, 4}) == table.concat(x:stride(), " "))
assert(strides_of(shape, {1, 3, 4, 2}) == table.concat(last:stride(), " "))
