-- Checks of the arguments of metrics.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

local checks = {}

local function shape_text(x) return "(" .. table.concat(x.shape, ", ") .. ")" end

--- Raises unless both are tensors.
function checks.tensors(caller, predictions, targets)
  for name, value in pairs {predictions = predictions or false, targets = targets or false} do
    if not tide.is_tensor(value) then
      raise("%s: %s: expected a tensor, got %s", caller, name, value and kind_of(value) or "nil")
    end
  end
end

--- Raises unless both are tensors of the same shape.
function checks.same_shape(caller, predictions, targets)
  checks.tensors(caller, predictions, targets)
  local same = #predictions.shape == #targets.shape
  for d, size in ipairs(predictions.shape) do same = same and targets.shape[d] == size end
  if not same then
    raise("%s: predictions and targets differ in shape: %s and %s", caller, shape_text(predictions),
      shape_text(targets))
  end
end

--- Raises unless the targets have the shape of the predictions without the dimension of the classes, `dim`.
function checks.without_classes(caller, predictions, targets, dim)
  checks.tensors(caller, predictions, targets)
  local wanted = predictions.shape
  local fits = #wanted >= dim and #targets.shape == #wanted - 1
  if fits then
    table.remove(wanted, dim)
    for d, size in ipairs(wanted) do fits = fits and targets.shape[d] == size end
  end
  if not fits then
    raise("%s: predictions of shape %s, with classes in dimension %d, do not match targets of shape %s",
      caller, shape_text(predictions), dim, shape_text(targets))
  end
end

--- Raises unless the classes are integers.
function checks.classes(caller, name, classes)
  if classes:is_floating_point() or classes.dtype == "bool" then
    raise("%s: %s: classes are integers from 1, got %s", caller, name, classes.dtype)
  end
end

return checks
