-- Lesson 6: shape errors. Ten broken networks, tide's message for each, and the fix.
--
-- Run it:        tide lesson 6
-- On the cpu:    tide lesson 6 --device cpu
--
-- Most mistakes in deep learning are shapes that do not fit. A message about one has four parts:
-- the line of the script, the layer, the op with the shapes it was given, and, where there is a
-- likely one, the fix. Every network below is run broken, its message is read, and it is run again
-- fixed.
local tide = require "tide"
local nn = tide.nn
local F = nn.functional

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.set_default_device(device) -- everything below is made there
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

--- Prints text in lines of at most 78 letters; what stands in parentheses stays together.
local function print_wrapped(text)
  local line = " "
  for word in text:gsub("%b()", function(part) return part:gsub(" ", "\0") end):gmatch("%S+") do
    if #line + #word > 78 then
      print(line)
      line = "   "
    end
    line = line .. " " .. word:gsub("%z", " ")
  end
  print(line)
end

--- Runs something broken, shows what it says, and checks that all of these words are in it.
local function broken(fn, ...)
  local ok, message = pcall(fn)
  assert(not ok, "this was meant to fail")
  print_wrapped(message)
  for _, words in ipairs {...} do
    assert(message:find(words, 1, true), ("the message does not say: %s"):format(words))
  end
end

--- Checks the shape of the fixed network's result.
local function fixed(result, ...)
  local shape = table.concat(result.shape, ", ")
  assert(shape == table.concat({...}, ", "), "shape (" .. shape .. ")")
  local sum = result:sum():item() -- waits: what fails on the device would be reported here
  print(result:dim() == 0 and ("  fixed: a loss of %.3f"):format(sum)
    or ("  fixed: the result has shape (%s)"):format(shape))
end

-- 1. Inner sizes that differ ----------------------------------------------------------------------
-- A linear layer from 64 to 32 numbers, then one that takes 16. Samples come first in a shape, so
-- (8, 64) is 8 samples of 64 features each.
heading "1. Two layers that do not fit together"

local x = tide.randn(8, 64)
local net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(16, 10))
broken(function()
  local y = net(x)
  return y
end, "net[3] (Linear 16 -> 10)", "(8, 32) has 32 features", "takes 16")
-- It names the layer as Lua would reach it: net[3]. It was given 32 features and takes 16.
net[3] = nn.Linear(32, 10)
fixed(net(x), 8, 10)

-- Or let the layer find out by itself: nn.Dense and nn.LazyLinear take the number of features that
-- they first see.
fixed(nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.LazyLinear(10))(x), 8, 10)

-- 2. A matrix the wrong way round -----------------------------------------------------------------
-- A product of (a, b) and (c, d) needs b == c: these are the inner sizes.
heading "2. A product whose second matrix lies the wrong way round"

local images, weights = tide.randn(32, 784), tide.randn(10, 784)
broken(function()
  local scores = images:matmul(weights)
  return scores
end, "inner sizes differ: (32, 784) x (10, 784)", "784 and 10", "fits if transposed")
fixed(images:matmul(weights:t()), 32, 10)

-- 3. From images to a vector ----------------------------------------------------------------------
-- A convolution gives (samples, channels, height, width). A linear layer looks at the last dimension
-- only, so the others have to be flattened into it.
heading "3. Flatten forgotten"

local pictures = tide.randn(2, 1, 8, 8)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Linear(4 * 6 * 6, 10))
broken(function()
  local y = net(pictures)
  return y
end, "net[3] (Linear 144 -> 10)", "(2, 4, 6, 6) has 6 features", "nn.Flatten")
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 6 * 6, 10))
fixed(net(pictures), 2, 10)

-- 4. How large is what comes out? -----------------------------------------------------------------
-- The author of 4 * 8 * 8 forgot that a 3 x 3 window without padding does not fit at the edge: 8
-- pixels leave 6. Before you calculate, look: a hook is called after each layer.
heading "4. A wrong number in front of the linear layer"

--- Shows the shape after every layer, up to the one that fails.
local function show_shapes(network, input)
  print("  " .. ("(%s)"):format(table.concat(input.shape, ", ")))
  local remove = {}
  for _, layer in ipairs(network:children()) do
    remove[#remove + 1] = layer:register_forward_hook(function(module, _, output)
      print(("  %-16s  %s"):format("(" .. table.concat(output.shape, ", ") .. ")",
        "after " .. tostring(module)))
    end)
  end
  pcall(network, input)
  for _, take_away in ipairs(remove) do take_away() end
end

net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 8 * 8, 10))
broken(function()
  local y = net(pictures)
  return y
end, "net[4] (Linear 256 -> 10)", "(2, 144) has 144 features", "takes 256")
show_shapes(net, pictures)
net[1] = nn.Conv2d(1, 4, 3, {padding = 1}) -- with a border of zeros, 8 dots stay 8
fixed(net(pictures), 2, 10)

-- 5. Images without channels, and with the channels last ------------------------------------------
-- Files often hold grey images as (samples, height, width), and coloured ones as (samples, height,
-- width, channels). Convolutions want (samples, channels, height, width).
heading "5. Where are the channels?"

local grey, coloured = tide.randn(16, 8, 8), tide.randn(2, 8, 8, 3)
net = nn.Sequential(nn.Conv2d(1, 4, 3))
broken(function()
  local y = net(grey)
  return y
end, "(16, 8, 8) has 16 channels", "x:unsqueeze(2)")
fixed(net(grey:unsqueeze(2)), 16, 4, 6, 6)

net = nn.Sequential(nn.Conv2d(3, 4, 3))
broken(function()
  local y = net(coloured)
  return y
end, "(2, 8, 8, 3) has 8 channels", "takes 3", "x:permute")
fixed(net(coloured:permute(1, 4, 2, 3)), 2, 4, 6, 6)

-- 6. Five outputs, three classes ------------------------------------------------------------------
-- Targets may say for each sample how likely every class is. Then there are as many numbers as
-- classes, and the network must give as many.
heading "6. Three classes against five outputs"

local inputs = tide.randn(8, 20)
local shares = tide.softmax(tide.randn(8, 3), 2) -- for each sample three numbers, together 1
net = nn.Linear(20, 5)
broken(function()
  local loss = F.cross_entropy(net(inputs), shares)
  return loss
end, "(8, 5) and (8, 3)", "dimension 2 (5 against 3)", "let the last layer give 3")
net = nn.Linear(20, 3)
fixed(F.cross_entropy(net(inputs), shares))

-- Targets may also be positions of classes, counted from 1. Then the shapes fit in any case: the
-- mistake is in the numbers, and those only the device sees. It goes on; the message comes when the
-- result is read, and names both lines.
local classes = tide.tensor {1, 2, 3, 4, 5, 1, 2, 3}
local loss = F.cross_entropy(net(inputs), classes)
broken(function() return loss:item() end,
  "position 4 is out of range: there are 3", "queued at", "noticed at")
-- Classes counted from 0, as files have them, are the same mistake at the other end.
loss = F.cross_entropy(nn.Linear(20, 5)(inputs), classes - 1)
broken(function() return loss:item() end, "position 0 is out of range", "positions start at 1")
fixed(F.cross_entropy(nn.Linear(20, 5)(inputs), classes))

-- 7. A mask that is larger than the output --------------------------------------------------------
-- Segmentation says something about every dot of an image: the target is a mask of the image's
-- size. Four convolutions without padding take a border of 4 dots away, on each side: 26 - 8 = 18.
heading "7. A mask of 26 against an output of 18"

local function segmentation(padding)
  return nn.Sequential(
    nn.Conv2d(1, 4, 3, {padding = padding}), nn.ReLU(),
    nn.Conv2d(4, 4, 3, {padding = padding}), nn.ReLU(),
    nn.Conv2d(4, 4, 3, {padding = padding}), nn.ReLU(),
    nn.Conv2d(4, 1, 3, {padding = padding})
  )
end
local scans = tide.randn(1, 1, 26, 26)
local mask = scans:gt(0):to("float32")
local judge = nn.BCEWithLogitsLoss()
net = segmentation(0)
broken(function()
  local result = judge(net(scans), mask)
  return result
end, "(1, 1, 18, 18) and (1, 1, 26, 26)", "18 against 26", "pad the layers, or crop the target")
fixed(judge(segmentation(1)(scans), mask)) -- padded
fixed(judge(net(scans), mask[{{}, {}, {5, 22}, {5, 22}}])) -- or the middle of the mask

-- 8. A column against a row -----------------------------------------------------------------------
-- (8, 1) and (8) both hold 8 numbers. Elementwise ops broadcast them to (8, 8): each with each. In a
-- loss that is never meant, and nothing would look wrong but that the network does not learn. So
-- losses refuse it.
heading "8. A column against a row"

local prediction, wanted = tide.randn(8, 1), tide.randn(8)
broken(function()
  local result = F.mse_loss(prediction, wanted)
  return result
end, "(8, 1) and (8)", "target:view_as(x)")
fixed(F.mse_loss(prediction, wanted:view_as(prediction)))
local each_with_each = (prediction - wanted) ^ 2
print(("  without a loss function: (prediction - wanted) ^ 2 has shape (%s), and no complaint"):format(
  table.concat(each_with_each.shape, ", ")))
assert(each_with_each:numel() == 64)

-- 9. A shortcut around layers that change the shape -----------------------------------------------
-- Residual networks add the input of some layers to their output: y = layers(x) + x.
heading "9. A shortcut that does not fit"

local layers = nn.Sequential(nn.Linear(20, 32), nn.ReLU())
broken(function()
  local y = layers(inputs) + inputs
  return y
end, "(8, 32) and (8, 20)", "dimension 2 (32 against 20)")
local shortcut = nn.Linear(20, 32, {bias = false}) -- the shortcut changes the shape as well
fixed(layers(inputs) + shortcut(inputs), 8, 32)

-- 10. A type in the place of a shape --------------------------------------------------------------
heading "10. Not the shape, but the type"

local counts = tide.randint(0, 9, {8, 20})
net = nn.Sequential(nn.Linear(20, 3))
broken(function()
  local y = net(counts)
  return y
end, "net[1] (Linear 20 -> 3)", "int64 and float32", 'convert one with :to("float32")')
fixed(net(counts:to("float32")), 8, 3)

-- 11. What no message can tell --------------------------------------------------------------------
-- Shapes that fit are not yet right. `reshape` keeps the numbers in their order and only cuts the
-- lines elsewhere; to swap dimensions is another thing. Both give the shape that was asked for.
heading "11. What no message can tell"

local grid = tide.arange(6):reshape(2, 3)
print(grid)
print("reshape(3, 2) cuts the lines elsewhere:")
print(grid:reshape(3, 2))
print("t() swaps the dimensions:")
print(grid:t())
assert(not grid:reshape(3, 2):equal(grid:t()), "the same shape, other contents")
print("So test with numbers that you know, not only with shapes.")

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
1. Which sizes has the output of nn.Conv2d(3, 8, 5, {stride = 2}) for a picture of 32 x 32? Find the
   rule, write it as a function, and check it against the layer for sizes from 5 to 40.
2. (4, 1) + (3) has the shape (4, 3). What have (4, 1) + (4), (2, 1, 3) + (5, 1), and (2, 3) + (2)?
   Predict first; one of them is an error.
3. Write a function that calls a network and, if a shape does not fit, names the layers that did
   work before the error.

`tide lesson 6 --answers` shows answers.]]
