-- The loop over batches without training: validation, test, prediction.
local batches = require "tide.training.batches"
local LogValues = require "tide.training.log_values"
local native = require "tide.native"
local Optimization = require "tide.training.optimization"
local raise = require "tide.internal.raise"
local tide = require "tide"

local evaluation_loop = {}

local kLosses <const> = {validation = "val_loss", test = "test_loss"}

--- A value that restores the current training mode of all modules when it is closed.
function evaluation_loop.kept_modes(module)
  local modes = {}
  for _, each in ipairs(module:modules()) do modes[each] = each.training end
  return setmetatable({}, {__close = function()
    for each, training in pairs(modes) do each.training = training end
  end})
end

--- The loss that a step returned, for a module that logs none under that name.
local function log_loss(values, stage, result)
  local name = kLosses[stage]
  local loss = type(result) == "table" and not getmetatable(result) and result.loss or result
  local entry = values.entries[name]
  if not name or not tide.is_tensor(loss) or loss:numel() ~= 1 or entry and not entry.is_loss then
    return nil
  end
  return name, loss
end

local kShown <const> = {prog_bar = true}

--- Iterates over the batches. Returns false if it was interrupted, which it checks for if `may_stop`.
local function each_batch(trainer, stage, loader, limit, outputs, may_stop)
  local call, values, step = trainer.call, trainer.values, trainer.task.step
  local started, ended = ("on_%s_batch_start"):format(stage), ("on_%s_batch_end"):format(stage)
  local function run(batch, index) return step(stage, batch, index) end
  local next_batch, closing = batches.open(loader, 0)
  local _ <close> = closing
  local index = 0
  while not limit or index < limit do
    local batch = next_batch()
    if batch == nil then break end
    index = index + 1
    batch = batches.moved(batch, trainer.device)
    trainer.batch_size = batches.size(batch)
    call(started, batch, index)
    local result = Optimization.with_precision(trainer.options.precision, run, batch, index)
    local name, loss = log_loss(values, stage, result)
    if name then
      trainer:log(name, loss, kShown)
      values.entries[name].is_loss = true
    end
    if outputs then outputs[index] = result end
    call(ended, result, batch, index)
    if may_stop and native.take_interrupt() then return false end
  end
  trainer.batch_size = nil
  if index == 0 then raise("%s: the loader is empty", trainer.caller) end
  return true
end

--- Runs a stage over a loader: "validation", "test" or "predict". Returns the logged values as
--- numbers, for "predict" the list of outputs; nil if it was interrupted, which it checks for if
--- `may_stop`.
function evaluation_loop.run(trainer, stage, loader, limit, may_stop)
  local call, module = trainer.call, trainer.task.module
  local _ <close> = evaluation_loop.kept_modes(module)
  local _ <close> = tide.no_grad()
  local outer = trainer.values
  local _ <close> = setmetatable({}, {__close = function()
    trainer.values, trainer.batch_size = outer, nil
  end})
  trainer.values = LogValues(false)
  module:eval()
  call(("on_%s_start"):format(stage))
  call(("on_%s_epoch_start"):format(stage))
  local outputs = stage == "predict" and {} or nil
  local results
  if each_batch(trainer, stage, loader, limit, outputs, may_stop) then
    call(("on_%s_epoch_end"):format(stage))
    results = outputs or LogValues.read(trainer.values:of_epoch())
    if not outputs then
      for name, value in pairs(results) do trainer.callback_metrics[name] = value end
    end
  end
  trainer.values:reset()
  call(("on_%s_end"):format(stage))
  return results
end

return evaluation_loop
