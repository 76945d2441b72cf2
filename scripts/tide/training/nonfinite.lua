-- Finds where a loss that is nan or infinite comes from.
local each_tensor = require "tide.tools.watch.each_tensor"
local hooks = require "tide.training.hooks"
local raise = require "tide.internal.raise"
local tide = require "tide"

local nonfinite = {}

--- Whether any tensor in a value has an element that is nan or infinite.
local function has_bad(value)
  local bad = false
  each_tensor(value, function(x) bad = bad or not x:isfinite():all():item() end)
  return bad
end

--- Describes where the nonfinite value comes from.
local function find(loop)
  local trainer = loop.trainer
  if has_bad(loop.current) then return "the batch itself contains nan or infinite values" end
  local values, random = trainer.values, tide.get_rng_state()
  trainer.values = setmetatable({log = function() end}, {__index = values})
  local watch <close> = tide.watch(trainer.task.module)
  local ran, problem = pcall(loop.compute)
  trainer.values = values
  tide.set_rng_state(random)
  if not ran then return "the forward pass could not be repeated: " .. tostring(problem) end
  watch:step()
  local found = watch:first_nonfinite()
  if found and found.kind ~= "gradient" then return found.text end
  return "all modules return finite outputs for this batch: it arises in the loss" ..
    (found and "; " .. found.text or "")
end

--- Raises the error for a loss that was finite in `good` batches and then nonfinite.
function nonfinite.fail(loop, good)
  local trainer = loop.trainer
  trainer.bar:clear()
  local _ <close> = tide.no_grad()
  local kept
  for _, callback in ipairs(trainer.callbacks) do
    local path = hooks.method(callback, "last_path")
    kept = kept or path and path(callback)
  end
  raise("fit: the loss is nan or infinite since batch %d of this training " ..
    "(noticed after epoch %d, batch %d): %s%s%s", good + 1, trainer.current_epoch,
    loop.batch, find(loop),
    kept and "; the last good checkpoint is " .. kept or "",
    trainer.options.detect_anomaly and "" or "; {detect_anomaly = true} stops at the op")
end

return nonfinite
