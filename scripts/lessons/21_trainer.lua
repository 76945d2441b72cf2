-- Lesson 21: the Trainer. The loop written for you: early stopping, and going on after a kill.
--
-- Run it:        tide lesson 21
-- On the cpu:    tide lesson 21 --device cpu
-- Very small:    tide lesson 21 --epochs 1 --digits 100
--
-- Lesson 5 wrote the training loop by hand. In a real project more and more is added to it: a
-- second loop for validation, a log, files to go on from, a rule when to stop. tide.Trainer is
-- that loop.
local tide = require "tide"
local nn, optim, data, training = tide.nn, tide.optim, tide.data, tide.training
local F = nn.functional

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  epochs = 4,
  digits = 1797,
}

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local images, labels = data.digits()
local count = options.digits
local x = images[{{1, count}}]:to("float32"):reshape(count, 64) / 16
local y = labels[{{1, count}}]:to("int64") + 1
local part = count * 4 // 5 -- to learn from; the rest is for validation
local train_set = data.TensorDataset(x[{{1, part}}], y[{{1, part}}])
local validation_set = data.TensorDataset(x[{{part + 1, count}}], y[{{part + 1, count}}])

--- New loaders: for learning and for validation.
local function loaders()
  return data.DataLoader(train_set, {batch_size = 64, shuffle = true}),
    data.DataLoader(validation_set, {batch_size = 256})
end

local function network()
  return nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 10))
end

-- 1. fit ------------------------------------------------------------------------------------------
-- A network, a loader, a loss and an optimizer: the Trainer does the rest. It moves the network
-- and each batch to the device, switches between train and eval, and reads numbers once an epoch.
heading "1. fit"

tide.manual_seed(1)
local net = network()
local train, validation = loaders()
local trainer = tide.Trainer {
  max_epochs = options.epochs, device = options.device, enable_progress_bar = false,
}
local figures = trainer:fit(net, train, validation, {
  loss = F.cross_entropy, optimizer = optim.Adam(net:parameters(), {lr = 2e-3}),
  metrics = {accuracy = tide.metrics.Accuracy()},
})
-- What fit returns is a list with a table of figures for each epoch.
print(figures)
local losses, val_losses = {}, {}
for epoch, figure in ipairs(figures) do
  losses[epoch], val_losses[epoch] = figure.loss, figure.val_loss
end
tide.plot.line(losses, {label = "loss", xlabel = "epoch", marker = "o"})
  :line(val_losses, {label = "val_loss", marker = "o"}):show()
assert(#figures == options.epochs and trainer.global_step == options.epochs * #train)
assert(options.epochs < 4 or count < 1797 or figures[#figures].loss < figures[1].loss / 2)
assert(net[1].weight.device == tide.device(options.device), "the network was moved")

-- 2. A module that knows how it is trained --------------------------------------------------------
-- Where one loss is not enough, write the step yourself: a training.Module says what a step is,
-- what is measured in validation, and which optimizer it wants. What you log is averaged over the
-- epoch.
heading "2. A module of one's own"

local Digits = tide.class("Digits", training.Module)

function Digits:init() self.body = network() end

function Digits:forward(pictures) return self.body(pictures) end

function Digits:training_step(batch)
  local pictures, classes = table.unpack(batch)
  local loss = F.cross_entropy(self(pictures), classes, {label_smoothing = 0.1})
  self:log("train_loss", loss)
  return loss
end

function Digits:validation_step(batch)
  local pictures, classes = table.unpack(batch)
  local scores = self(pictures)
  self:log("val_loss", F.cross_entropy(scores, classes))
  self:log("val_accuracy", scores:argmax(2):eq(classes):to("float32"):mean())
end

function Digits:configure_optimizers() return optim.Adam(self:parameters(), {lr = 2e-3}) end

trainer = tide.Trainer {max_epochs = 2, device = options.device, enable_progress_bar = false}
trainer:fit(Digits(), loaders())
local measured = trainer.callback_metrics
print(("  val_loss %.4f, val_accuracy %.3f"):format(measured.val_loss, measured.val_accuracy))
assert(measured.val_loss and measured.val_accuracy and measured.train_loss)

-- 3. Early stopping -------------------------------------------------------------------------------
-- Who learns too long learns by heart: the loss of validation stops falling. A callback looks
-- after each validation and stops when nothing improved for a number of times (its patience). This
-- network has a learning rate of 0, so nothing ever gets better after the first time: it stops
-- after 1 + 3 epochs.
heading "3. Early stopping"

local Stubborn = tide.class("Stubborn", Digits)
function Stubborn:configure_optimizers() return optim.SGD(self:parameters(), {lr = 0.0}) end

trainer = tide.Trainer {
  max_epochs = 100, device = options.device, enable_progress_bar = false,
  callbacks = {training.EarlyStopping {monitor = "val_loss", patience = 3}},
}
trainer:fit(Stubborn(), loaders())
print(("  of 100 epochs it did %d"):format(trainer.current_epoch))
assert(trainer.current_epoch == 4)

-- A name that nothing has logged is an error, with those that there are.
local ok, message = pcall(function()
  local wrong = tide.Trainer {
    max_epochs = 1, device = options.device, enable_progress_bar = false,
    callbacks = {training.EarlyStopping {monitor = "valloss"}},
  }
  wrong:fit(Digits(), loaders())
end)
assert(not ok and message:find("valloss", 1, true) and message:find("val_loss", 1, true), message)
print("  a name misspelt:\n    " .. message)

-- 4. After a kill ---------------------------------------------------------------------------------
-- With default_root_dir the Trainer writes files to go on from: the weights, the optimizer, the
-- order of the data, the random numbers. ckpt_path = "last" goes on from the newest of them. We
-- train in another process (lesson 15), kill it in the middle of its third epoch, and go on here.
-- The training is a text, so that both processes can run it.
heading "4. Killed, and going on"

local text = [[
local tide = require "tide"
local nn, data = tide.nn, tide.data

--- Trains for 4 epochs of 5 steps with files in `folder`; the process dies in step `last_step`.
local function train(folder, device, last_step)
  tide.manual_seed(7)
  local x = tide.randn(40, 4)
  local set = data.TensorDataset(x, x:sum(2):gt(0):to("int64") + 1)
  local net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 2))
  local steps = 0
  local trainer = tide.Trainer {
    max_epochs = 4, device = device, default_root_dir = folder, enable_progress_bar = false,
    callbacks = {{on_train_batch_end = function(_, trainer)
      steps = steps + 1
      if trainer.global_step == last_step then os.execute("kill -9 $PPID") end
    end}},
  }
  trainer:fit(net, data.DataLoader(set, {batch_size = 8, shuffle = true}), {
    loss = nn.functional.cross_entropy, ckpt_path = folder and "last" or nil,
    optimizer = tide.optim.Adam(net:parameters(), {lr = 0.01}),
  })
  return net, steps
end
return train
]]
local train_here = load(text)()

local folder = os.tmpname()
os.remove(folder)
assert(os.execute(("mkdir '%s'"):format(folder)))
do
  local file <close> = assert(io.open(folder .. "/train.lua", "w"))
  file:write((text:gsub("return train\n$", "train(arg[1], arg[2], 13)\n")))
end
local first = 0
while arg[first - 1] do first = first - 1 end -- the program is the first word of the command line
local pipe = assert(io.popen(("'%s' '%s/train.lua' '%s/runs' %s 2>&1"):format(arg[first], folder,
  folder, options.device)))
local output = pipe:read("a")
assert(not pipe:close(), "it did not end well: " .. output)
print("  the process was killed in step 13, in its third epoch")

local resumed, steps = train_here(folder .. "/runs", options.device)
print(("  going on took %d steps in place of 20"):format(steps))
assert(steps == 10, "the last file was written after the second epoch: step 10")

-- And what comes out is what would have come out without the kill: to the last bit.
local whole, all_steps = train_here(nil, options.device)
assert(all_steps == 20)
local expected = whole:state_dict()
for name, weight in pairs(resumed:state_dict()) do
  assert(weight:equal(expected[name]), name)
end
print("  the weights are those of a training that was never killed, to the last bit")
os.execute(("rm -r '%s'"):format(folder))

print("\nAll of this was true on " .. options.device .. ".")

print [[

Exercises
---------
1. Write a callback that notes val_loss of each validation in a list: a table with a function
   on_validation_end(self, trainer). trainer.callback_metrics has the values.
2. Let EarlyStopping stop as soon as val_accuracy is above 0.8: see stopping_threshold and mode.
3. Train the first network with gradients of four batches taken together
   (accumulate_grad_batches = 4). How many steps does its optimizer take in an epoch?

`tide lesson 21 --answers` shows answers.]]
