-- Classification metrics, from counts of correct predictions.
local define = require "tide.internal.declare.define"
local labels = require "tide.training.metrics.labels"
local Metric = require "tide.training.metrics.metric"
local tide = require "tide"

local classification = {}

--- numerator / denominator in float64; `otherwise` where the denominator is 0.
local function ratio(numerator, denominator, otherwise)
  local share = numerator:to("float64") / denominator:to("float64")
  return tide.where(denominator:eq(0), tide.full_like(share, otherwise), share)
end

--- The weighted mean of `figures`; nan if all weights are 0.
local function weighted_mean(figures, weights)
  weights = weights:to("float64")
  -- A value with weight 0 may be nan.
  return (tide.where(weights:eq(0), tide.zeros_like(figures), figures) * weights):sum() / weights:sum()
end

--- Stores the options of a metric of counts.
local function set_options(self, given)
  for option, value in pairs(given) do self[option] = value end
  self.name = getmetatable(self).name
end

-- Accuracy ----------------------------------------------------------------------------------------

--- The fraction of correct predictions, for multiclass, binary or multilabel tasks.
---@use metrics: task = "multiclass", num_classes = nil
---@param top_k integer > 0 = 1  count a prediction as correct if the target is among the top_k classes
---@use metrics: average = "micro", threshold = 0.5, ignore_index = nil
---@shapes predictions (n) of classes or (n, classes) of scores, targets (n)
---@counts classes
---@waits only when the value is read
---@see metrics.F1 metrics.ConfusionMatrix metrics.Collection
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.Accuracy()(p, t) --> 0.6667
local Accuracy, read_accuracy = define("metrics.Accuracy", Metric)
classification.Accuracy = Accuracy

--- For classes, "macro" is the mean recall over the classes that occur; for labels, the mean accuracy of the labels.
function Accuracy:init(...) set_options(self, read_accuracy(...)) end

function Accuracy:measure(predictions, targets)
  return labels.counts(self, predictions, targets)
end

function Accuracy:value(state)
  local average, right, all = self.average, state.true_positive, state.support
  if self.task ~= "multiclass" then
    -- Includes true negatives.
    right = state.total - state.predicted - state.support + state.true_positive * 2
    all = tide.zeros_like(right) + state.total
  end
  if average == "micro" or self.task == "binary" then return ratio(right:sum(), all:sum(), 0 / 0) end
  local figures = ratio(right, all, 0 / 0)
  if average == "none" then return figures end
  return weighted_mean(figures, average == "weighted" and state.support or all:ne(0))
end

--- The fraction of targets that are among the k classes with the highest scores.
---@param k integer > 0 = 5  number of highest-scoring classes
---@use metrics: num_classes = nil, average = "micro", ignore_index = nil
---@shapes predictions (n) of classes or (n, classes) of scores, targets (n)
---@counts classes
---@waits only when the value is read
---@see metrics.Accuracy metrics.F1 metrics.ConfusionMatrix metrics.Collection
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.TopKAccuracy(1)(p, t) --> 0.6667
local TopKAccuracy, read_top_k = define("metrics.TopKAccuracy", Accuracy)
classification.TopKAccuracy = TopKAccuracy

function TopKAccuracy:init(...)
  local given = read_top_k(...)
  given.task, given.top_k, given.k = "multiclass", given.k, nil
  set_options(self, given)
end

-- Precision, recall, F1 ---------------------------------------------------------------------------

--- Defines a metric that is a ratio of counts: ratio_of(counts) returns numerator and denominator.
local function define_ratio(declared, ratio_of)
  local Ratio, read = define(declared, Metric)
  classification[Ratio.name] = Ratio

  function Ratio:init(...) set_options(self, read(...)) end

  function Ratio:measure(predictions, targets) return labels.counts(self, predictions, targets) end

  function Ratio:value(counts)
    local average = self.average
    if average == "micro" or self.task == "binary" then
      local sums = {}
      for field, count in pairs(counts) do sums[field] = count:sum() end
      local above, below = ratio_of(sums)
      return ratio(above, below, self.zero_division)
    end
    local above, below = ratio_of(counts)
    local figures = ratio(above, below, self.zero_division)
    if average == "none" then return figures end
    if average == "weighted" then return weighted_mean(figures, counts.support) end
    -- Classes in neither predictions nor targets are skipped; labels never are.
    if self.task == "multilabel" then return figures:mean() end
    return weighted_mean(figures, (counts.predicted + counts.support):ne(0))
  end
end

--- The fraction of the predictions of a class that are correct.
---@use metrics: task = "multiclass", num_classes = nil, average = "macro", threshold = 0.5, ignore_index = nil,
---  zero_division = 0.0
---@formula true positives / (true positives + false positives)
---@shapes predictions (n) of classes or (n, classes) of scores, targets (n)
---@counts classes
---@waits only when the value is read
---@see metrics.Accuracy metrics.F1 metrics.ConfusionMatrix metrics.Collection
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.Precision()(p, t) --> 0.75
define_ratio("metrics.Precision", function(counts) return counts.true_positive, counts.predicted end)

--- The fraction of the samples of a class that are predicted as such.
---@like metrics.Precision
---@formula true positives / (true positives + false negatives)
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.Recall()(p, t) --> 0.75
define_ratio("metrics.Recall", function(counts) return counts.true_positive, counts.support end)

--- The harmonic mean of precision and recall.
---@like metrics.Precision
---@formula 2 precision recall / (precision + recall)
---@see metrics.Accuracy metrics.ConfusionMatrix metrics.Collection
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.F1()(p, t) --> 0.6667
define_ratio("metrics.F1", function(counts)
  return counts.true_positive * 2, counts.predicted + counts.support
end)

-- Confusion matrix --------------------------------------------------------------------------------

--- Counts of samples by true class (rows) and predicted class (columns).
---@use metrics: num_classes = nil
---@param normalize "none" | "true" | "pred" | "all" = "none"  counts, or fractions of rows, of columns or of all
---@param task "multiclass" | "binary" = "multiclass"  the kind of targets
---@use metrics: threshold = 0.5, ignore_index = nil
---@shapes predictions (n) of classes or (n, classes) of scores, targets (n)
---@counts classes
---@waits only when the value is read
---@see metrics.Accuracy metrics.F1 metrics.Collection
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.ConfusionMatrix()(p, t) --> {{1, 0}, {1, 1}}
local ConfusionMatrix, read_confusion = define("metrics.ConfusionMatrix", Metric)
classification.ConfusionMatrix = ConfusionMatrix

--- Element (i, j) counts the samples of class i that were predicted as class j. In the binary task, row and column 1
--- are negative, 2 are positive.
function ConfusionMatrix:init(...)
  set_options(self, read_confusion(...))
end

function ConfusionMatrix:measure(predictions, targets)
  local said, right, counts, size
  if self.task == "binary" then
    said, right = labels.yes_or_no(self, predictions, targets)
    said, right = said:reshape(-1):to("int64") + 1, right:reshape(-1):to("int64") + 1
    counts, size = tide.ones_like(said, {dtype = "bool"}), 2
  else
    said, right, counts, size = labels.classes(self, predictions, targets)
  end
  local cells = (right - 1) * size + said
  return {matrix = labels.count_of(cells, counts, size * size):reshape(size, size)}
end

function ConfusionMatrix:value(state)
  local matrix, normalize = state.matrix, self.normalize
  if normalize == "true" then return ratio(matrix, matrix:sum(2, true), 0) end
  if normalize == "pred" then return ratio(matrix, matrix:sum(1, true), 0) end
  if normalize == "all" then return ratio(matrix, matrix:sum(), 0) end
  return matrix
end

return classification
