-- Compares gradients with finite differences, in float64.
local tide = require "tide"
local compare = require "tide.test.compare"

local kStep = 1e-6

--- Numerical derivative of `total(inputs)` with respect to every element of input `k`.
local function numerical(total, inputs, k)
  local result = {}
  local values = compare.elements(inputs[k])
  local shape = inputs[k].shape
  local function shifted(i, by)
    local moved = table.move(values, 1, #values, 1, {})
    moved[i] = moved[i] + by
    local changed = table.move(inputs, 1, #inputs, 1, {})
    changed[k] = tide.tensor(moved, {dtype = "float64", device = inputs[k].device}):reshape(shape)
    return total(changed)
  end
  for i = 1, #values do
    result[i] = shifted(i, kStep):sub(shifted(i, -kStep)):item() / (2 * kStep)
  end
  return result
end

--- Raises an error unless autograd's gradients of fn(inputs...) agree with finite differences. The
--- inputs are float64 tensors; the results of fn are weighted by fixed numbers, so that no two of
--- them cancel.
local function check_gradient(fn, ...)
  local inputs = {...}
  local function total(tensors)
    local sum
    for _, result in ipairs({fn(table.unpack(tensors))}) do
      local weights = (tide.arange(result:numel(), {dtype = "float64",
        device = result.device}) * 0.7 + 0.3):cos()
      local part = (result * weights:reshape(result.shape)):sum()
      sum = sum and sum + part or part
    end
    return sum
  end
  local tracked = {}
  for k, input in ipairs(inputs) do tracked[k] = input:clone():requires_grad_() end
  total(tracked):backward()
  for k = 1, #inputs do
    local got = tracked[k].grad and compare.elements(tracked[k].grad)
    if not got then error(("input %d has no gradient"):format(k), 2) end
    local difference = compare.close(got, numerical(total, inputs, k), 1e-5, 1e-6)
    if difference then error(("gradient of input %d: %s"):format(k, difference), 2) end
  end
end

return check_gradient
