-- Metrics of numbers: how far predictions are from targets.
local arguments = require "tide.internal.arguments"
local checks = require "tide.metrics.checks"
local class = require "tide.internal.class"
local Metric = require "tide.metrics.metric"
local raise = require "tide.internal.raise"
local tide = require "tide"

local regression = {}

--- Defines the mean of `distance(predictions - targets)`.
local function define_mean_error(name, parameters, distance)
  local MeanError = class(name, Metric)
  regression[name] = MeanError
  local read = arguments(name, parameters, {squared = "boolean"})

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

define_mean_error("MeanSquaredError", {{"squared", true}}, function(errors) return errors:square() end)
define_mean_error("MeanAbsoluteError", {}, function(errors) return errors:abs() end)

local R2Score = class("R2Score", Metric)
regression.R2Score = R2Score

local read_r2 = arguments("R2Score", {{"multioutput", "uniform_average"}})

--- metrics.R2Score(): 1 less the share of the targets' variance that is not explained. The second
--- dimension, if there is one, are outputs: "raw_values" gives a figure for each, "uniform_average"
--- their mean.
function R2Score:init(...)
  self.multioutput = read_r2(...).multioutput
  checks.choice("R2Score", "multioutput", self.multioutput, {"uniform_average", "raw_values"})
end

--- Means and squares around them, not squares of the numbers: these would lose all digits of targets
--- that are far from 0.
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
  -- Of targets that are all equal: 1 if they were met, else 0.
  figures = tide.where(state.around:eq(0), state.missed:eq(0):to("float64"), figures)
  if state.count < 2 then figures = tide.full_like(figures, 0 / 0) end
  return self.multioutput == "raw_values" and figures or figures:mean()
end

return regression
