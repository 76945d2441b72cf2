-- Regression metrics: the error of predictions.
local define = require "tide.internal.declare.define"
local checks = require "tide.training.metrics.checks"
local Metric = require "tide.training.metrics.metric"
local raise = require "tide.internal.raise"
local tide = require "tide"

local regression = {}

--- Defines the mean of `distance(predictions - targets)`.
local function define_mean_error(declared, distance)
  local MeanError, read = define(declared, Metric)
  local name = MeanError.name
  regression[name] = MeanError

  function MeanError:init(...) self.squared = read(...).squared end

  function MeanError:measure(predictions, targets)
    checks.same_shape(name, predictions, targets)
    local errors = predictions:to("float64") - targets:to("float64")
    return {sum = distance(errors):sum(), count = predictions:numel()}
  end

  function MeanError:value(state)
    local mean = state.sum / state.count
    return self.squared == false and mean:sqrt() or mean
  end
end

--- The mean squared error, or with squared = false its square root.
---@param squared boolean = true  false returns the square root
---@example
--- local p, t = tide.tensor{1.0, 2, 5}, tide.tensor{1.0, 2, 3}
--- tide.metrics.MeanSquaredError()(p, t) --> 1.333
define_mean_error("metrics.MeanSquaredError", function(errors) return errors:square() end)

--- The mean absolute error.
---@example
--- local p, t = tide.tensor{1.0, 2, 5}, tide.tensor{1.0, 2, 3}
--- tide.metrics.MeanAbsoluteError()(p, t) --> 0.6667
define_mean_error("metrics.MeanAbsoluteError", function(errors) return errors:abs() end)

--- The fraction of the targets' variance that is explained.
---@param multioutput "uniform_average" | "raw_values" = "uniform_average"  how columns are
---  combined
---@formula 1 - sum of (target - x)^2 / sum of (target - mean)^2
---@see metrics.MeanSquaredError
---@example
--- local p, t = tide.tensor{1.0, 2, 5}, tide.tensor{1.0, 2, 3}
--- tide.metrics.R2Score()(p, t) --> -1.0
local R2Score, read_r2 = define("metrics.R2Score", Metric)
regression.R2Score = R2Score

--- The second dimension, if any, are outputs: "raw_values" returns a value for each, "uniform_average" their mean.
function R2Score:init(...)
  self.multioutput = read_r2(...).multioutput
end

--- Uses squared deviations from the mean instead of sums of squares, which lose precision for targets far from 0.
function R2Score:measure(predictions, targets)
  checks.same_shape("R2Score", predictions, targets)
  if predictions:dim() < 1 or predictions:dim() > 2 then
    raise("R2Score: expected (samples) or (samples, outputs), got %d dimensions", predictions:dim())
  end
  local outputs = predictions:dim() == 2 and predictions:size(2) or 1
  local right = targets:to("float64"):reshape(#targets, outputs)
  local missed = (right - predictions:to("float64"):reshape(#targets, outputs)):square():sum(1)
  if #targets == 0 then return {count = 0, mean = missed, around = missed, missed = missed} end
  local mean = right:mean(1)
  return {count = #targets, mean = mean, around = (right - mean):square():sum(1), missed = missed}
end

function R2Score:combine(first, second)
  local count = first.count + second.count
  if count == 0 then return first end
  local apart, share = second.mean - first.mean, second.count / count
  return {
    count = count,
    mean = first.mean + apart * share,
    around = first.around + second.around + apart:square() * (first.count * share),
    missed = first.missed + second.missed,
  }
end

function R2Score:value(state)
  local figures = 1 - state.missed / state.around
  -- If all targets are equal: 1 if predictions are exact, else 0.
  figures = tide.where(state.around:eq(0), state.missed:eq(0):to("float64"), figures)
  if state.count < 2 then figures = tide.full_like(figures, 0 / 0) end
  return self.multioutput == "raw_values" and figures or figures:mean()
end

return regression
