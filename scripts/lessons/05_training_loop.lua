-- Lesson 5: the training loop. A network learns to read digits, and we see what waiting costs.
--
-- Run it:        tide lesson 5
-- On the cpu:    tide lesson 5 --device cpu
-- Longer:        tide lesson 5 --epochs 40
-- Very small:    tide lesson 5 --digits 8 --epochs 1
--
-- The data are real: 1797 digits of 8 x 8 dots that people wrote on paper. The last 360 were
-- written by people who wrote none of the others, so the network has never seen their hand: an
-- honest exam.
local tide = require "tide"
local nn, optim, data = tide.nn, tide.optim, tide.data
local F = nn.functional

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  epochs = 20,
  digits = 1797,  -- how many are used; a fifth of them for the exam
  seed = 1,
}
local device = tide.device(options.device)
tide.manual_seed(options.seed) -- the same seed gives the same run, to the last bit

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. Data -----------------------------------------------------------------------------------------
heading "1. The data"

local images, labels = data.digits()
print(images)
print(labels)

-- What the first one looks like. Darkness goes from 0 to 16.
tide.plot.image(images[1], {vmin = 0, vmax = 16}):show()

-- Images go in as (samples, channels, height, width). Classes are positions, and positions in Lua
-- start at 1: the digit 0 is class 1, the digit 9 is class 10.
local x = images:to("float32"):unsqueeze(2):to(device)
local y = (labels:to("int64") + 1):to(device)
local exam = options.digits // 5 + 1
local known = options.digits - exam

-- Networks like numbers around 0, spread by about 1. What is subtracted and divided by comes from
-- the part we learn from: to look at the exam for that would be a small way of cheating.
local seen = x:narrow(1, 1, known)
x = (x - seen:mean()) / seen:std()
local train_x, train_y = x:narrow(1, 1, known), y:narrow(1, 1, known)
local test_x, test_y = x:narrow(1, #x - exam + 1, exam), y:narrow(1, #y - exam + 1, exam)

local known_digits = data.TensorDataset(train_x, train_y)
local loader = data.DataLoader(known_digits, {batch_size = 32, shuffle = true})
print(("%d digits to learn from in %d batches, %d for the exam"):format(known, #loader, exam))
print("all of them on " .. device)

-- 2. A network ------------------------------------------------------------------------------------
-- Convolutions look at every spot of the image with the same small windows; pooling keeps the
-- strongest answer of each 2 x 2 spots; the linear layers at the end decide.
heading "2. The network"

local function make_network()
  return nn.Sequential(
    nn.Conv2d(1, 16, 3, {padding = 1}), nn.ReLU(),
    nn.Conv2d(16, 32, 3, {padding = 1}), nn.ReLU(),
    nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.5),
    nn.Linear(32 * 4 * 4, 64), nn.ReLU(),
    nn.Linear(64, 10)
  ):to(device)
end

local net = make_network()
print(net)

-- 3. Training -------------------------------------------------------------------------------------
-- The loop that all of deep learning is made of: guess, measure, ask every weight which way is
-- better, take a step. The measure is the loss: cross entropy says how little the network expected
-- the right answers. Which way is better for a weight is its gradient: backward works it out for all
-- of them. An epoch is one pass over everything that there is to learn from.
heading "3. Training"

--- Trains for some epochs. `every_step(loss)`, if given, is called after each step.
local function train(network, epochs, report, every_step)
  local optimizer = optim.SGD(network:parameters(), {lr = 0.02, momentum = 0.9})
  network:train()
  for epoch = 1, epochs do
    local start = tide.time()
    local total = tide.zeros({}, {device = device})
    for batch_x, batch_y in loader:iter() do
      optimizer:zero_grad()
      local loss = F.cross_entropy(network(batch_x), batch_y)
      loss:backward()
      optimizer:step()
      -- The sum stays on the device. `total = total + loss:item()` would wait here, in every step.
      -- detach: the value alone, without what backward would need (lesson 2).
      total:add_(loss:detach())
      if every_step then every_step(loss) end
    end
    -- One wait an epoch: this is where the script catches up with the device.
    local mean = total:item() / #loader
    report(epoch, mean, tide.time() - start)
  end
end

--- The share of right answers in the exam.
local function accuracy(network)
  network:eval() -- dropout off
  local _ <close> = tide.no_grad()
  local answers = network(test_x):argmax(2)
  return answers:eq(test_y):to("float32"):mean():item()
end

local losses = {}
local start, waits_before = tide.time(), tide.wait_count()
train(net, options.epochs, function(epoch, loss, seconds)
  losses[epoch] = loss
  print(("  epoch %2d   loss %.4f   %5.1f ms"):format(epoch, loss, seconds * 1e3))
end)
local seconds, waits = tide.time() - start, tide.wait_count() - waits_before
local right = accuracy(net)
tide.plot.line(losses, {title = "mean loss", xlabel = "epoch", yscale = "log"}):show()
print(("%.2f s for %d epochs"):format(seconds, options.epochs))
print(("%.1f %% of the exam right"):format(100 * right))
assert(options.epochs < 5 or losses[#losses] < losses[1] / 5, "the loss fell")
assert(options.epochs < 20 or options.digits < 1797 or right >= 0.95,
  "at least 95 % right after 20 epochs")

-- What the first layer looks for: its 16 windows of 3 x 3 dots, bright where a dot counts much.
tide.plot.filters(net[1].weight, {title = "windows of the first layer"}):show()

-- Some of those it got wrong, if any: would you have known?
local answers = net(test_x):argmax(2)
local wrong = answers:ne(test_y):tolist()
local shown = 0
for i, is_wrong in ipairs(wrong) do
  if is_wrong and shown < 3 then
    shown = shown + 1
    local digit, answer = test_y[i]:item() - 1, answers[i]:item() - 1
    print(("  exam digit %d is a %d, the network says %d"):format(i, digit, answer))
  end
end

-- 4. What a wait costs ----------------------------------------------------------------------------
-- The same training, but with one innocent line more: a number read in every step, for a log or a
-- progress bar. Every read makes the script wait for the device, and then the device for the
-- script, which has queued nothing meanwhile.
heading "4. The same, reading the loss in every step"

tide.manual_seed(options.seed)
local again = make_network()
local log = {}
local start_again, waits_start = tide.time(), tide.wait_count()
local final_loss
train(again, options.epochs, function(_, loss) final_loss = loss end, function(loss)
  log[#log + 1] = loss:item()
end)
local seconds_again, waits_again = tide.time() - start_again, tide.wait_count() - waits_start

print(("                         time     waits"))
print(("  read once an epoch  %6.2f s   %6d"):format(seconds, waits))
print(("  read in every step  %6.2f s   %6d"):format(seconds_again, waits_again))
local steps = options.epochs * #loader
assert(#log == steps, "a number read in every step: a wait, unless the device is done already")
assert(waits <= 2 * options.epochs, "one in an epoch without")

-- Reading changes when things are computed, never what: both runs end with the same loss, bit for
-- bit.
assert(final_loss == losses[#losses], "the same numbers")
print("The results are the same to the last bit; only the waiting differs.")

-- How long is such a wait? As long as what is queued takes. A simulated device shows it: when
-- starting a kernel takes 20 ms there, no number comes back sooner.
local far = tide.device("sim:0")
tide.sim.configure {device = far, launch_cost = 20e-3}
local slow_loss = (tide.ones(8, {device = far}) * 2):sum()
start = tide.time()
assert(slow_loss:item() == 16)
local waited = tide.time() - start
print(("A number from a device that needs 20 ms came after %.1f ms."):format(waited * 1e3))
assert(waited >= 20e-3)
print("tide run --syncs FILE shows for any script where it waited, how often and how long.")

print [[

Exercises
---------
1. Train without momentum, and with a learning rate ten times smaller. What happens to the loss of
   the first epochs?
2. Make the table that tells which digits are taken for which others: a tensor of shape (10, 10)
   that counts, for each true digit, each answer.
3. Leave out the network:eval() of the exam. Is the same digit still given the same answer twice?
   Why not?

`tide lesson 5 --answers` shows answers.]]
