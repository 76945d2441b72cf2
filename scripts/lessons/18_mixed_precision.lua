-- Lesson 18: mixed precision. Half types, what they lose, autocast, and why gradients are scaled.
--
-- Run it:        tide lesson 18
-- On the cpu:    tide lesson 18 --device cpu
-- Longer:        tide lesson 18 --steps 20 --batch 32 --half float16
-- Very small:    tide lesson 18 --size 16 --batch 2 --steps 1
--
-- Numbers of 16 bits take half of the memory and half of the road, and GPUs multiply them several
-- times faster. But they hold less. Mixed precision takes them where that does no harm.
local tide = require "tide"
local nn, optim, data = tide.nn, tide.optim, tide.data
local F = nn.functional

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  size = 32,  -- height and width of the pictures: CIFAR-10's
  batch = 8,
  steps = 2,  -- training steps of ResNet-50 in each type
  half = tide.cuda.is_available() and "float16" or "bfloat16", -- the half type of section 5
}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

--- Runs something that fails and shows what it says; checks that these words are in it.
local function fails(line, words, fn)
  local succeeded, complaint = pcall(fn)
  assert(not succeeded and complaint:find(words, 1, true), complaint)
  print(("  %s\n    %s"):format(line, complaint))
end

-- 1. Two ways to have 16 bits ---------------------------------------------------------------------
-- A number is made of a sign, an exponent (how large) and digits (how exact). float16 and bfloat16
-- deal their 16 bits out differently:
--
--   float32    s eeeeeeee ddddddddddddddddddddddd    7 decimal digits, up to 3e38
--   bfloat16   s eeeeeeee ddddddd                    2 to 3 digits,    up to 3e38
--   float16    s eeeee dddddddddd                    3 to 4 digits,    up to 65504
heading "1. What they hold"

local numbers = {60000, 70000, 1 + 1 / 256, 2.0 ^ -26}
local x = tide.tensor(numbers, {device = device})
local half, brain = x:to("float16"):tolist(), x:to("bfloat16"):tolist()
print("             float16      bfloat16")
for i, number in ipairs(numbers) do
  print(("  %10.6g %12.8g %12.8g"):format(number, half[i], brain[i]))
end
assert(half[2] == math.huge, "70000 overflows float16")
assert(brain[2] > 69000 and brain[2] < 71000, "bfloat16 has it, roughly")
assert(half[3] == 1 + 1 / 256 and brain[3] == 1, "a small difference: bfloat16 has not the digits")
assert(half[4] == 0 and brain[4] == 2.0 ^ -26, "a tiny number: float16 has not the exponent")

-- The second of these is why weights stay in float32: a step of a training changes a weight by a
-- thousandth or less, and in bfloat16 nothing would happen at all.
local weight = tide.ones(1, {dtype = "bfloat16", device = device})
for _ = 1, 1000 do weight = weight + 0.001 end
print(("  1 + 1000 * 0.001 in bfloat16: %g"):format(weight:item()))
assert(weight:item() == 1)

-- 2. Autocast -------------------------------------------------------------------------------------
-- Within autocast, products and convolutions take half types; what sums up or could overflow
-- (softmax, losses, norms) takes float32. You change nothing in the network.
heading "2. Autocast decides op by op"

local a = tide.ones(4, 4, {device = device})
tide.autocast({dtype = "bfloat16"}, function()
  local product = a:matmul(a)
  print("  matmul   " .. product.dtype)
  print("  softmax  " .. tide.softmax(product, 2).dtype)
  print("  loss     " .. F.mse_loss(product, a).dtype)
  assert(product.dtype == "bfloat16")
  assert(tide.softmax(product, 2).dtype == "float32" and F.mse_loss(product, a).dtype == "float32")

  -- It can be nested: another type inside, or switched off for what needs all digits.
  tide.autocast({dtype = "float16"}, function() assert(a:matmul(a).dtype == "float16") end)
  tide.autocast({enabled = false}, function()
    assert(a:matmul(a).dtype == "float32")
    fails("what comes from outside is still half:", "bfloat16 and float32", function()
      local mixed = product:matmul(a)
      return mixed
    end)
    assert(product:to("float32"):matmul(a).dtype == "float32", "convert it")
  end)
  assert(a:matmul(a).dtype == "bfloat16", "after that all is as before")
end)
assert(a:matmul(a).dtype == "float32", "and out of autocast it is off")
fails("another type:", "expected float16 or bfloat16", function()
  tide.autocast {dtype = "int8"}
end)

-- 3. Gradients that vanish ------------------------------------------------------------------------
-- Gradients are small, and in float16 what is smaller than 0.00000006 is 0. Multiply the loss by
-- 65536, and all gradients are 65536 times larger; divide before the step. GradScaler does that.
heading "3. A scale against vanishing gradients"

local tiny = tide.tensor({1e-8}, {device = device})
print(("  1e-8 in float16 is %g; times 65536 and back it is %.3g"):format(
  tiny:to("float16"):item(), (tiny * 65536):to("float16"):item() / 65536))
assert(tiny:to("float16"):item() == 0 and (tiny * 65536):to("float16"):item() > 0)

local w = nn.Parameter(tide.tensor({1.0, 1.0}, {device = device}))
local sgd = optim.SGD({w}, {lr = 0.1})
local scaler = tide.amp.GradScaler {init_scale = 1024}
local slopes = tide.tensor({3.0, 4.0}, {device = device})

--- One step by all the rules: scale, backward, unscale_, clip, step, update.
local function step_with(factors)
  sgd:zero_grad()
  scaler:scale((w * factors):sum()):backward()
  local scaled = w.grad:tolist()
  scaler:unscale_(sgd) -- clip what the gradients are, not 1024 times that
  local norm = nn.utils.clip_grad_norm_({w}, 1.0):item()
  scaler:step(sgd)
  scaler:update()
  return scaled, norm
end
local scaled, norm = step_with(slopes)
print(("  gradients times 1024: %g and %g; their norm after unscale_: %g"):format(scaled[1],
  scaled[2], norm))
assert(scaled[1] == 3 * 1024 and norm == 5, "the norm of 3 and 4")
-- Clipped to a norm of 1 they are 0.6 and 0.8, and the step is a tenth of that.
assert(w:allclose(tide.tensor({0.94, 0.92}, {device = device})))

-- If the scale is too large, gradients overflow. The scaler sees that, leaves the step out, and
-- halves the scale. After 2000 steps without it doubles the scale again.
local before = w:tolist()
step_with(slopes * 1e36)
print(("  after an overflow: no step, and the scale is %g"):format(scaler:get_scale()))
assert(w:tolist()[1] == before[1] and scaler:get_scale() == 512)

scaler:scale((w * slopes):sum()):backward()
scaler:unscale_(sgd)
fails("unscale_ twice:", "was already called since the last update", function()
  scaler:unscale_(sgd)
end)

-- 4. ResNet-50 on pictures like CIFAR-10's --------------------------------------------------------
-- CIFAR-10 has 60000 pictures of 32 x 32 dots in 10 classes. It is not in this program, so these
-- are made: noise, and a colour that depends on the class. A table keeps all that concerns the
-- data in one place; books call that a data module.
heading "4. A data module"

local FakeCifar = {classes = 10}

function FakeCifar.make(count)
  local labels = tide.randint(1, FakeCifar.classes, {count})
  local colours = tide.randn(FakeCifar.classes, 3) -- of each class
  local pictures = 0.3 * tide.randn(count, 3, options.size, options.size)
  pictures = pictures + colours:index_select(1, labels):reshape(count, 3, 1, 1)
  return data.TensorDataset(pictures, labels)
end

function FakeCifar.loader(set)
  return data.DataLoader(set, {batch_size = options.batch, shuffle = true, drop_last = true})
end

local pictures = FakeCifar.make(options.batch * options.steps)
local loader = FakeCifar.loader(pictures)
print(("  %d pictures, %d batches of %d"):format(#pictures, #loader, options.batch))
assert(#loader == options.steps)

heading("5. ResNet-50 in two types, on " .. tostring(device))

--- Trains a new network for a pass in one type: losses, the type after the first convolution.
local function train(dtype)
  tide.manual_seed(2) -- the same weights and the same order for each type
  local net = tide.vision.models.resnet50({num_classes = FakeCifar.classes}):to(device)
  local inner
  net.conv1:register_forward_hook(function(_, _, output) inner = output.dtype end)
  local optimizer = optim.SGD(net:parameters(), {lr = 0.01, momentum = 0.9})
  local scales = tide.amp.GradScaler {enabled = dtype == "float16"} -- bfloat16 needs none
  local mode = {dtype = dtype ~= "float32" and dtype or nil, enabled = dtype ~= "float32"}
  local losses, start = {}, tide.time()
  for picture, label in loader do
    optimizer:zero_grad()
    local loss = tide.autocast(mode, function()
      return F.cross_entropy(net(picture:to(device)), label:to(device))
    end)
    scales:scale(loss):backward() -- outside of autocast: backward takes forward's types by itself
    scales:unscale_(optimizer)
    nn.utils.clip_grad_norm_(net:parameters(), 5.0)
    scales:step(optimizer)
    scales:update()
    losses[#losses + 1] = loss:detach()
    assert(loss.dtype == "float32")
  end
  local numbers_of_losses = tide.stack(losses):tolist()
  for _, parameter in ipairs(net:parameters()) do
    assert(parameter.dtype == "float32" and parameter.grad.dtype == "float32", "weights stay exact")
  end
  print(("  %-9s inside %-9s %6.2f s   losses%s"):format(dtype, inner, tide.time() - start,
    (" %.3f"):rep(#numbers_of_losses):format(table.unpack(numbers_of_losses))))
  assert(inner == dtype)
  return numbers_of_losses
end

local exact = train("float32")
local rounded = train(options.half)
assert(math.abs(rounded[1] - exact[1]) < 0.3, "the first loss is the same but for rounding")
for _, loss in ipairs(rounded) do assert(loss == loss and loss < 50, "and nothing overflows") end
if device.type ~= "cuda" then
  print("  (A processor without half arithmetic converts to and fro: there it is slower. On a GPU")
  print("  with tensor cores it is two to eight times faster.)")
end

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
1. What is the largest whole number up to which float16 holds every whole number? And bfloat16?
2. Add 0.001 a thousand times to 1 in bfloat16, so that 2 comes out in the end (nearly): keep what
   was rounded away in a second number.
3. GradScaler starts with a scale of 65536. How many overflows does it take until a gradient of 60
   fits into float16? Compute it, then let a scaler find out.

`tide lesson 18 --answers` shows answers.]]
