-- Lesson 2: gradients. How a program learns: guess, measure, ask which way is better, take a step.
--
-- Run it:        tide lesson 2
-- More steps:    tide lesson 2 --steps 1000
-- Very small:    tide lesson 2 --steps 5
--
-- Lesson 1 ended with a slope: how fast a result grows if what went in grows. Here the result is
-- an error that we want to be small. Then the slope says which way to go: downhill.
local tide = require "tide"
local nn, optim = tide.nn, tide.optim
local F = nn.functional

local options = tide.args {
  device = "cpu",
  steps = 300, -- how many steps the networks of sections 4 and 6 take
}
tide.set_default_device(options.device)
tide.manual_seed(1) -- the same random numbers in each run

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. Downhill -------------------------------------------------------------------------------------
-- (x - 3)^2 is smallest at x = 3. Let us find that without knowing it. At each point ask for the
-- slope: if it goes up to the right, go left, and the other way round.
--
--          \                    /
--           \  x = 0           /
--            \ slope -6       /
--             \     ->       /
--              `-.        .-'
--                 `-.__.-'
--                     3
heading "1. Downhill"

local x = tide.tensor(0.0):requires_grad_(true)
for step = 1, 15 do
  local hill = (x - 3) ^ 2
  hill:backward()
  local slope = x.grad:item()
  tide.no_grad(function() x:sub_(0.2 * slope) end) -- a step of the 0.2-fold of the slope, downhill
  x.grad = nil
  if step <= 3 or step == 15 then
    print(("  step %2d   slope %7.3f   x is now %.4f"):format(step, slope, x:item()))
  end
end
assert(math.abs(x:item() - 3) < 0.01, "close to 3, which the program did not know")

-- How large a step? The number in front of the slope is called the learning rate. Too small, and
-- it takes for ever; too large, and each step goes farther up on the other side than it came from.
for _, rate in ipairs {0.01, 0.2, 1.1} do
  local place = 0.0
  for _ = 1, 15 do place = place - rate * 2 * (place - 3) end -- the slope of (x - 3)^2 is 2 (x - 3)
  print(("  learning rate %4.2f: after 15 steps at %8.2f"):format(rate, place))
  assert((math.abs(place - 3) < 0.01) == (rate == 0.2))
end

-- 2. What is remembered, and what is not ----------------------------------------------------------
-- To find a slope, tide writes down what was computed from x, as long as x requires a gradient.
-- `no_grad` switches that off: our step is not a part of the hill. Without it:
heading "2. What is remembered"

--- Runs something that fails and shows what it says; checks that these words are in it.
local function fails(line, words, fn)
  local succeeded, complaint = pcall(fn)
  assert(not succeeded and complaint:find(words, 1, true), complaint)
  print(("  %s\n    %s"):format(line, complaint))
end
fails("a step without no_grad:", "use tide.no_grad()", function() x:sub_(0.1) end)

-- What was written down is thrown away by backward. It goes once.
local hill = (x - 3) ^ 2
hill:backward()
fails("backward a second time:", "was used and released already", function() hill:backward() end)

-- What does not depend on anything that requires a gradient has none. `detach` cuts a value off:
-- the number alone, without what it was computed from.
fails("backward from a detached value:", "nothing that it was computed from requires a gradient",
  function() ((x - 3) ^ 2):detach():backward() end)

-- And a slope is of one number. Of many, ask for their sum or their mean.
local many = tide.ones(3):requires_grad_(true)
local doubled = many * 2
fails("backward from three numbers:", "expected one value", function() doubled:backward() end)
doubled:sum():backward()
assert(many.grad:equal(tide.full({3}, 2.0)))

-- 3. Gradients add up -----------------------------------------------------------------------------
-- backward adds to `grad`. That is of use if a gradient is made of parts. If you forget to clear
-- it between steps, each step goes where all the steps before wanted to go, too.
heading "3. Gradients add up"

local w = tide.tensor(2.0):requires_grad_(true)
for round = 1, 3 do
  (w * w):backward()
  print(("  after backward %d the gradient of w * w at 2 is %g"):format(round, w.grad:item()))
  assert(w.grad:item() == 4 * round)
end
w.grad = nil

-- 4. A line through points ------------------------------------------------------------------------
-- Now something to learn: 64 points near the line y = 2 x + 1. We look for two weights, the slope
-- and the height of a line. The error is the mean of the squared distances; it is called the loss.
heading "4. A line through points"

local inputs = tide.linspace(-1, 1, 64):reshape(64, 1) -- 64 samples of one number each
local targets = 2 * inputs + 1 + 0.1 * tide.randn(64, 1)

local slope, height = tide.zeros(1, 1), tide.zeros(1)
slope:requires_grad_(true)
height:requires_grad_(true)
local first_loss, last_loss
for step = 1, options.steps do
  local guess = inputs:matmul(slope) + height
  local loss = ((guess - targets) ^ 2):mean()
  loss:backward()
  tide.no_grad(function()
    for _, weight in ipairs {slope, height} do
      weight:sub_(0.1 * weight.grad)
      weight.grad = nil
    end
  end)
  if step == 1 then first_loss = loss:item() end
  last_loss = loss
end
print(("  loss %.4f at first, %.4f at last"):format(first_loss, last_loss:item()))
print(("  y = %.3f x + %.3f"):format(slope:item(), height:item()))
local line = (inputs:matmul(slope) + height):detach()
tide.plot.scatter(inputs:flatten(), targets:flatten(), {label = "points", title = "a line through points"})
  :line(inputs:flatten(), line:flatten(), {label = "the line that was found"})
  :legend "upper left":show()
if options.steps >= 300 then
  assert(math.abs(slope:item() - 2) < 0.1 and math.abs(height:item() - 1) < 0.1)
end
assert(last_loss:item() < first_loss)

-- 5. The same in the words of a library -----------------------------------------------------------
-- nn.Linear holds the two weights and does the product and the sum. F.mse_loss is the mean of
-- squares. An optimizer takes the step for all the weights it was given, and clears their
-- gradients. These five lines are the loop that all of deep learning is made of.
heading "5. A layer, a loss, an optimizer"

local layer = nn.Linear(1, 1)
tide.no_grad(function() -- start where we started above
  layer.weight:zero_()
  layer.bias:zero_()
end)
local optimizer = optim.SGD(layer:parameters(), {lr = 0.1}) -- lr is the learning rate
for _ = 1, options.steps do
  optimizer:zero_grad()                            -- clear
  local loss = F.mse_loss(layer(inputs), targets)  -- guess and measure
  loss:backward()                                  -- which way is better?
  optimizer:step()                                 -- take a step
end
print(("  y = %.3f x + %.3f"):format(layer.weight:item(), layer.bias:item()))
assert(layer.weight:allclose(slope, {rtol = 1e-4}), "the same arithmetic, the same line")
assert(layer.bias:allclose(height, {rtol = 1e-4}))

-- 6. What a line cannot do ------------------------------------------------------------------------
-- A wave is not a line. Two linear layers in a row do not help: a line of a line is a line.
-- Something nonlinear has to be between them, such as tanh. That is a network.
heading "6. A wave: a line, two lines, and a network"

local wave = tide.sin(4 * inputs)

--- Trains a network to follow the wave and returns what it makes of the inputs, and the loss.
local function follow(network)
  local adam = optim.Adam(network:parameters(), {lr = 0.02}) -- an optimizer that fits its steps
  local loss
  for _ = 1, options.steps do
    adam:zero_grad()
    loss = F.mse_loss(network(inputs), wave)
    loss:backward()
    adam:step()
  end
  return network(inputs):detach(), loss:item()
end

local straight, line_loss = follow(nn.Linear(1, 1))
local _, lines_loss = follow(nn.Sequential(nn.Linear(1, 16), nn.Linear(16, 1)))
local learned, bent_loss = follow(nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)))
tide.plot.scatter(inputs:flatten(), wave:flatten(), {label = "the wave"})
  :line(inputs:flatten(), straight:flatten(), {label = "a line"})
  :line(inputs:flatten(), learned:flatten(), {label = "a network"}):legend "upper left":show()
print(("  a line %.4f, two lines %.4f, with tanh between them %.4f"):format(line_loss, lines_loss,
  bent_loss))
if options.steps >= 300 then
  assert(line_loss > 0.2 and lines_loss > 0.2, "the best line is far from the wave")
  assert(bent_loss < line_loss / 20, "the network follows it")
end

print [[

Exercises
---------
1. A ball at height h falls for sqrt(2 h / 9.81) seconds. By gradient descent, find the height from
   which it falls for 2 seconds: make the square of the difference to 2 small. (It is 19.62 m.)
2. Leave out optimizer:zero_grad() in section 5. What happens to the line, and why?
3. Follow abs(inputs) in place of the wave, with nn.ReLU() in place of nn.Tanh(). How many numbers
   in the middle are enough for a loss below 0.001?

`tide lesson 2 --answers` shows answers.]]
