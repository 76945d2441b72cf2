-- Lesson 17: ResNet-18. What is in a real network, a pass forward, learning, channels_last.
--
-- Run it:        tide lesson 17
-- On the cpu:    tide lesson 17 --device cpu
-- Full size:     tide lesson 17 --size 224 --batch 16
-- Very small:    tide lesson 17 --size 32 --batch 2 --steps 1
--
-- Networks of this family have recognised pictures since 2015. tide.vision.models has it, with the
-- names of torchvision, so that weights trained there can be loaded here.
local tide = require "tide"
local nn, optim = tide.nn, tide.optim
local F = nn.functional

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  size = 96,  -- height and width of the pictures; it was made for 224
  batch = 8,  -- pictures at once
  steps = 4,  -- training steps
}
local device = tide.device(options.device)
local size, batch = options.size, options.batch
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local function shape_of(x) return "(" .. table.concat(x.shape, ", ") .. ")" end

local function ms(seconds) return ("%.1f ms"):format(seconds * 1e3) end

--- Seconds of fn with all that it queued, the best of some tries, and its last result.
local function seconds_of(fn)
  local best, result = math.huge, nil
  for _ = 1, 3 do
    tide.synchronize()
    local start = tide.time()
    result = fn()
    tide.synchronize()
    best = math.min(best, tide.time() - start)
  end
  return best, result
end

-- 1. What is in it --------------------------------------------------------------------------------
-- Four layers of two blocks each. Each layer but the first halves height and width and doubles the
-- channels: less and less where, more and more what.
heading "1. The network"

local net = tide.vision.models.resnet18():to(device)
local parameters = 0
for _, parameter in ipairs(net:parameters()) do parameters = parameters + parameter:numel() end
print(("  %d parameters"):format(parameters))
assert(parameters == 11689512, "as many as in the paper's network")

local pictures = tide.randn(batch, 3, size, size, {device = device})
print("  input    " .. shape_of(pictures))
local shapes = {}
for _, name in ipairs {"conv1", "layer1", "layer2", "layer3", "layer4", "fc"} do
  net[name]:register_forward_hook(function(_, _, output) -- called after the layer, see lesson 6
    if not shapes[name] then print(("  %-8s %s"):format(name, shape_of(output))) end
    shapes[name] = output.shape
  end)
end

-- 2. Forward --------------------------------------------------------------------------------------
-- eval: batch norm takes the means that it has learned, not those of this batch. no_grad: nothing
-- is kept for a way back. One number for each of 1000 classes comes out; softmax makes shares of
-- them.
heading(("2. Forward: %d pictures of %d x %d"):format(batch, size, size))

net:eval()
local seconds, scores = seconds_of(function() return tide.no_grad(net, pictures) end)
assert(shape_of(scores) == ("(%d, 1000)"):format(batch))
assert(shapes.layer1[2] == 64 and shapes.layer4[2] == 512)
assert(shapes.layer1[3] >= 4 * shapes.layer4[3], "less and less where")
local shares = tide.softmax(scores, 2)
assert(shares:sum(2):allclose(tide.ones(batch, {device = device})))
print(("  %s, so %.1f pictures a second"):format(ms(seconds), batch / seconds))

-- What is computed for a picture does not depend on who else is in the batch (in eval).
local alone = tide.no_grad(net, pictures:narrow(1, 1, 1))
assert(alone:allclose(scores:narrow(1, 1, 1), {rtol = 1e-2, atol = 1e-2}))

-- 3. A block --------------------------------------------------------------------------------------
-- The idea of the network: a block does not compute its output, but what to change in its input.
--
--        x ----> conv1 -> bn1 -> relu -> conv2 -> bn2 ---> + ---> relu ---> y
--          \__________________________________________/
--
-- At first such a block does nearly nothing, and the gradient comes back through the shortcut
-- undiminished. That is why many of them can be stacked.
heading "3. A block by hand"

local block = net.layer1[1]
print(block)
local x = tide.randn(1, 64, 8, 8, {device = device})
local by_block, by_hand = tide.no_grad(function()
  local change = block.bn2(block.conv2(block.bn1(block.conv1(x)):relu()))
  return block(x), (x + change):relu()
end)
assert(by_block:allclose(by_hand, {rtol = 1e-4, atol = 1e-5}))

-- 4. Training -------------------------------------------------------------------------------------
-- These pictures are noise, but a network with eleven million weights can learn noise by heart.
-- That is a good test of a training loop: if it cannot even do that, something is wrong.
heading(("4. Learning %d pictures by heart"):format(batch))

local student = tide.vision.models.resnet18({num_classes = 10}):to(device)
local labels = tide.randint(1, 10, {batch}, {device = device})
local optimizer = optim.SGD(student:parameters(), {lr = 0.02, momentum = 0.9})
local part = math.min(size, 64) -- the upper left corner is enough to learn by heart
local small = pictures[{{}, {}, {1, part}, {1, part}}]:contiguous()
local losses = {}
for step = 1, options.steps do
  optimizer:zero_grad()
  local start = tide.time()
  local loss = F.cross_entropy(student(small), labels)
  loss:backward()
  optimizer:step()
  losses[step] = loss:item() -- waits in each step, so that we see the times
  print(("  step %d   loss %.4f   %s"):format(step, losses[step], ms(tide.time() - start)))
end
assert(options.steps < 4 or losses[#losses] < losses[1] / 2, "it learns them")

-- 5. channels_last --------------------------------------------------------------------------------
-- The numbers of a picture lie in a row in memory. Usually all of the first channel come first,
-- then all of the second. channels_last puts the channels of a dot side by side. The shape stays
-- what it was; the strides (how far the next element is, for each dimension) tell the difference.
--
--      shape (1, 3, 1, 4)     plain          rrrr gggg bbbb
--                             channels_last  rgb rgb rgb rgb
--
-- Some libraries compute convolutions faster in the one, some in the other: measure.
heading "5. channels_last"

local last = pictures:to {memory_format = "channels_last"}
print("  strides of a plain batch      " .. table.concat(pictures:stride(), " "))
print("  strides with channels last    " .. table.concat(last:stride(), " "))
assert(shape_of(last) == shape_of(pictures) and last:equal(pictures), "the same numbers")
assert(last:stride(2) == 1 and pictures:stride(4) == 1)
assert(last:is_contiguous("channels_last") and not last:is_contiguous())

local plain_seconds, plain = seconds_of(function() return tide.no_grad(net, pictures) end)
net:to {memory_format = "channels_last"} -- the weights of convolutions, too
assert(net.conv1.weight:stride(2) == 1)
local last_seconds, result = seconds_of(function() return tide.no_grad(net, last) end)
print(("  plain %s, channels_last %s"):format(ms(plain_seconds), ms(last_seconds)))
assert(result:allclose(plain, {rtol = 1e-2, atol = 1e-2}), "equal but for rounding")
-- The layout goes along through the network: what comes out of a convolution has it, too.
local middle = tide.no_grad(net.conv1, last)
assert(middle:is_contiguous("channels_last"))

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
1. How many of the 11,689,512 parameters are in the convolutions, how many in batch norms, and how
   many in the last layer? net:named_parameters() has their names.
2. Predict the shape after layer4 for a picture of 224 x 224 and for one of 100 x 60; then look.
3. What are the strides of a tensor of shape (2, 3, 4, 5), plain and with channels_last? Write a
   function that computes both from a shape, and compare with x:stride().

`tide lesson 17 --answers` shows answers.]]
