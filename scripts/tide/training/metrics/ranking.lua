-- Ranking metrics: how well scores separate true from false targets.
local define = require "tide.internal.declare.define"
local checks = require "tide.training.metrics.checks"
local labels = require "tide.training.metrics.labels"
local Metric = require "tide.training.metrics.metric"
local raise = require "tide.internal.raise"
local tide = require "tide"

local ranking = {}

--- A vector of running sums, with a 0 before the first.
local function sums_before(marks)
  return tide.cat({tide.zeros({1}, {dtype = "int64", device = marks.device}), marks:to("int64"):cumsum(1)}, 1)
end

--- Sorted scores, whether each has a true target, and for each the number of lower scores and of scores not higher.
local function ranked(scores, truth)
  local sorted, order = scores:sort(1)
  local lower = tide.searchsorted(sorted, sorted) - 1
  local not_higher = tide.searchsorted(sorted, sorted, {right = true}) - 1
  return sorted, truth:index_select(1, order), lower, not_higher
end

--- The value, or nan if a score is nan.
local function unless_nan(scores, figure)
  return tide.where(scores:isnan():any(), tide.full_like(figure, 0 / 0), figure)
end

--- The fraction of pairs of a true and a false target whose scores are in order; ties count half.
local function area_under_roc(scores, truth)
  local sorted, yes, lower, not_higher = ranked(scores, truth)
  local false_before = sums_before(yes:logical_not())
  local pairs_twice = false_before:index_select(1, lower + 1)
    + false_before:index_select(1, not_higher + 1)
  local in_order = (pairs_twice * yes:to("int64")):sum():to("float64") / 2
  local positive, negative = yes:sum():to("float64"), yes:logical_not():sum():to("float64")
  return unless_nan(sorted, in_order / (positive * negative))
end

--- The mean over the true targets of the precision at their scores.
local function average_precision(scores, truth)
  local sorted, yes, lower = ranked(scores, truth)
  local positive = yes:sum()
  local found = positive - sums_before(yes):index_select(1, lower + 1)
  local precision = found:to("float64") / (sorted:size(1) - lower):to("float64")
  local sum = (precision * yes:to("float64")):sum()
  return unless_nan(sorted, sum / positive:to("float64"))
end

--- Defines a metric from its function of a vector of scores and a bool vector of targets.
local function define_ranking(declared, figure_of)
  local Ranking, read = define(declared, Metric)
  local name = Ranking.name
  ranking[name] = Ranking

  function Ranking:init(...)
    local given = read(...)
    self.task, self.average = given.task, given.average
  end

  function Ranking:measure(predictions, targets)
    checks.tensors(name, predictions, targets)
    local task = self.task or (predictions:dim() == targets:dim() and "binary" or "multiclass")
    if task == "binary" then
      checks.same_shape(name, predictions, targets)
      predictions, targets = predictions:reshape(-1), labels.truth(targets):reshape(-1)
    else
      checks.without_classes(name, predictions, targets, 2)
      if predictions:dim() ~= 2 then
        raise("%s: multiclass predictions are (samples, classes), got %d dimensions", name, predictions:dim())
      end
      checks.classes(name, "targets", targets)
    end
    -- Copies, because the script may write into its tensors later.
    return {predictions = {predictions:clone()}, targets = {targets:clone()}}
  end

  function Ranking:combine(first, second)
    for _, field in ipairs {"predictions", "targets"} do
      table.move(second[field], 1, #second[field], #first[field] + 1, first[field])
    end
    return first
  end

  function Ranking:value(state)
    local predictions, targets = tide.cat(state.predictions, 1), tide.cat(state.targets, 1)
    if predictions:dim() == 1 then return figure_of(predictions, targets) end
    local figures, support = {}, {}
    for c = 1, predictions:size(2) do
      local truth = targets:eq(c)
      figures[c] = figure_of(predictions:select(2, c), truth)
      support[c] = truth:sum()
    end
    figures, support = tide.stack(figures), tide.stack(support):to("float64")
    if self.average == "none" then return figures end
    -- Classes without a value, because no target or every target is of them, are skipped.
    local defined = figures:isnan():logical_not() | predictions:isnan():any()
    local weights = defined:to("float64")
    if self.average == "weighted" then weights = weights * support end
    return (tide.where(defined, figures, tide.zeros_like(figures)) * weights):sum() / weights:sum()
  end
end

--- The area under the ROC curve, for several classes one-vs-rest. Stores all predictions.
---@use metrics: task = nil, average = "macro"
---@shapes predictions (n) of classes or (n, classes) of scores, targets (n)
---@counts classes
---@waits only when the value is read
---@see metrics.Accuracy metrics.F1 metrics.ConfusionMatrix metrics.Collection
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.AUROC()(p, t) --> 1.0
define_ranking("metrics.AUROC", area_under_roc)

--- The mean precision over all thresholds. Stores all predictions.
---@like metrics.AUROC
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.AveragePrecision()(p, t) --> 1.0
define_ranking("metrics.AveragePrecision", average_precision)

return ranking
