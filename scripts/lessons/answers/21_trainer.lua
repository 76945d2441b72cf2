-- Answers to the exercises of lesson 21, trainer.
--
-- To try them:   tide lesson 21 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local nn, data = tide.nn, tide.data

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local images, labels = data.digits()
local x = images[{{1, 640}}]:to("float32"):reshape(640, 64) / 16
local set = data.TensorDataset(x, labels[{{1, 640}}]:to("int64") + 1)
local loader = data.DataLoader(set, {batch_size = 32})

--- Trains with these options of the Trainer; returns the trainer and the figures of each epoch.
local function fit(given)
  tide.manual_seed(1)
  local net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
  local optimizer = tide.optim.Adam(net:parameters(), {lr = 5e-3})
  given.device, given.enable_progress_bar = device, false
  local trainer = tide.Trainer(given)
  local figures = trainer:fit(net, loader, loader, {
    loss = nn.functional.cross_entropy, optimizer = optimizer,
    metrics = {accuracy = tide.metrics.Accuracy()},
  })
  return trainer, figures
end

-- 1. A callback that notes val_loss of each validation.
heading "1. A callback"

local noted = {}
local note = {}
function note:on_validation_end(trainer)
  noted[#noted + 1] = trainer.callback_metrics.val_loss
end

-- num_sanity_val_steps = 0: without the short try of validation before the first epoch.
local _, figures = fit {max_epochs = 3, num_sanity_val_steps = 0, callbacks = {note}}
for epoch, loss in ipairs(noted) do
  print(("epoch %d   val_loss %.4f"):format(epoch, loss))
  assert(loss == figures[epoch].val_loss, "fit's list has it, too")
end
assert(#noted == 3)

-- 2. Stop as soon as val_accuracy is above 0.8.
heading "2. Good enough"

-- mode = "max": more is better.
local stop = tide.training.EarlyStopping {
  monitor = "val_accuracy", mode = "max", stopping_threshold = 0.8, patience = 100,
}
local trainer, epochs = fit {max_epochs = 50, callbacks = {stop}}
print(("after %d epochs of 50: %.3f"):format(#epochs, epochs[#epochs].val_accuracy))
assert(#epochs < 50 and epochs[#epochs].val_accuracy > 0.8)
assert(#epochs == 1 or epochs[#epochs - 1].val_accuracy <= 0.8, "not an epoch later than that")

-- 3. Gradients of four batches taken together.
heading "3. Accumulated gradients"

trainer = fit {max_epochs = 1, accumulate_grad_batches = 4}
print(("%d batches, %d steps"):format(#loader, trainer.global_step))
assert(#loader == 20 and trainer.global_step == 5)
