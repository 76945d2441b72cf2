-- metrics.Mean: the mean of numbers or tensors, for example of losses.
local define = require "tide.internal.declare.define"
local kind_of = require "tide.internal.kind_of"
local Metric = require "tide.training.metrics.metric"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The mean of numbers or tensors: update(value, weight) adds one, with a weight that is 1 by default.
---@example
--- local mean = tide.metrics.Mean()
--- mean:update(1.0)
--- mean:update(4.0, 2)
--- mean:compute() --> 3.0
local Mean = define("metrics.Mean", Metric)

function Mean:measure(value, weight)
  weight = weight or 1
  if type(value) ~= "number" and not tide.is_tensor(value) then
    raise("Mean: expected a number or a tensor, got %s", kind_of(value))
  end
  if type(weight) ~= "number" then raise("Mean: weight: expected a number, got %s", kind_of(weight)) end
  if type(value) == "number" then value = tide.tensor(value) end
  return {sum = value:to("float64"):sum() * weight, weight = value:numel() * weight}
end

function Mean:value(state) return state.sum / state.weight end

return Mean
