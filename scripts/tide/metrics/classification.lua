-- Metrics of classes: how often predictions are right.
local define = require "tide.internal.declare.define"
local checks = require "tide.metrics.checks"
local labels = require "tide.metrics.labels"
local Metric = require "tide.metrics.metric"
local tide = require "tide"

local classification = {}

local averages = {"micro", "macro", "weighted", "none"}

--- numerator / denominator in float64; `otherwise` where the denominator is 0.
local function ratio(numerator, denominator, otherwise)
  local share = numerator:to("float64") / denominator:to("float64")
  return tide.where(denominator:eq(0), tide.full_like(share, otherwise), share)
end

--- The mean of `figures` by these weights, which may all be 0: then nan.
local function weighted_mean(figures, weights)
  weights = weights:to("float64")
  -- A figure without weight may be nan.
  return (tide.where(weights:eq(0), tide.zeros_like(figures), figures) * weights):sum() / weights:sum()
end

--- Takes over and checks the options that all metrics of counts share.
local function set_options(self, given)
  local name = getmetatable(self).name
  checks.choice(name, "task", given.task, labels.tasks)
  if given.average ~= nil then checks.choice(name, "average", given.average, averages) end
  checks.positive(name, "num_classes", given.num_classes)
  checks.positive(name, "top_k", given.top_k)
  for option, value in pairs(given) do self[option] = value end
  self.name = name
end

-- Accuracy ----------------------------------------------------------------------------------------

--- The share of predictions that are right; task: multiclass, binary or multilabel; average: micro, macro, weighted
--- or none.
---@use metrics: task = "multiclass", num_classes = nil
---@param top_k integer = 1  right if the target is among so many best classes
---@use metrics: average = "micro", threshold = 0.5, ignore_index = nil
---@shapes predictions (n) of classes or (n, classes) of scores, targets (n)
---@counts classes
---@waits only where the figure is read
---@see metrics.F1 metrics.ConfusionMatrix metrics.Collection
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.Accuracy()(p, t) --> 0.6667
local Accuracy, read_accuracy = define("metrics.Accuracy", Metric)
classification.Accuracy = Accuracy

--- metrics.Accuracy{task = "multiclass", top_k = 1, average = "micro"}: the share of predictions
--- that are right. For classes, "macro" is the mean of the classes' recalls over the classes that
--- occur; for labels, the mean of the labels' accuracies.
function Accuracy:init(...) set_options(self, read_accuracy(...)) end

function Accuracy:measure(predictions, targets)
  return labels.counts(self, predictions, targets)
end

function Accuracy:value(state)
  local average, right, all = self.average, state.true_positive, state.support
  if self.task ~= "multiclass" then
    -- True negatives are what neither the prediction nor the target says.
    right = state.total - state.predicted - state.support + state.true_positive * 2
    all = tide.zeros_like(right) + state.total
  end
  if average == "micro" or self.task == "binary" then return ratio(right:sum(), all:sum(), 0 / 0) end
  local figures = ratio(right, all, 0 / 0)
  if average == "none" then return figures end
  return weighted_mean(figures, average == "weighted" and state.support or all:ne(0))
end

--- The share of targets that are among the k best classes.
---@param k integer = 5  so many best classes
---@use metrics: num_classes = nil, average = "micro", ignore_index = nil
---@shapes predictions (n) of classes or (n, classes) of scores, targets (n)
---@counts classes
---@waits only where the figure is read
---@see metrics.Accuracy metrics.F1 metrics.ConfusionMatrix metrics.Collection
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.TopKAccuracy(1)(p, t) --> 0.6667
local TopKAccuracy, read_top_k = define("metrics.TopKAccuracy", Accuracy)
classification.TopKAccuracy = TopKAccuracy

--- metrics.TopKAccuracy(5): the share of targets that are among the k best classes.
function TopKAccuracy:init(...)
  local given = read_top_k(...)
  checks.positive("TopKAccuracy", "k", given.k)
  given.task, given.top_k, given.k = "multiclass", given.k, nil
  set_options(self, given)
end

-- Precision, recall, F1 ---------------------------------------------------------------------------

--- Defines a metric that is a ratio of counts: ratio_of(counts) gives numerator and denominator.
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
    -- Classes that neither the predictions nor the targets name are left out; labels never are.
    if self.task == "multilabel" then return figures:mean() end
    return weighted_mean(figures, (counts.predicted + counts.support):ne(0))
  end
end

--- The share of what was taken for a class that is of it.
---@use metrics: task = "multiclass", num_classes = nil, average = "macro", threshold = 0.5, ignore_index = nil,
---  zero_division = 0.0
---@formula true positives / (true positives + false positives)
---@shapes predictions (n) of classes or (n, classes) of scores, targets (n)
---@counts classes
---@waits only where the figure is read
---@see metrics.Accuracy metrics.F1 metrics.ConfusionMatrix metrics.Collection
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.Precision()(p, t) --> 0.75
define_ratio("metrics.Precision", function(counts) return counts.true_positive, counts.predicted end)

--- The share of a class that was found.
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

--- How many samples of each class (rows) were taken for each class (columns).
---@use metrics: num_classes = nil
---@param normalize "none" | "true" | "pred" | "all" = "none"  counts, or shares of rows, of columns, of all
---@use metrics: task = "multiclass", threshold = 0.5, ignore_index = nil
---@shapes predictions (n) of classes or (n, classes) of scores, targets (n)
---@counts classes
---@waits only where the figure is read
---@see metrics.Accuracy metrics.F1 metrics.Collection
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.ConfusionMatrix()(p, t) --> {{1, 0}, {1, 1}}
local ConfusionMatrix, read_confusion = define("metrics.ConfusionMatrix", Metric)
classification.ConfusionMatrix = ConfusionMatrix

--- metrics.ConfusionMatrix(10, {normalize = "none"}): element (i, j) counts the samples of class i
--- that were taken for class j; "true" divides by the sums of the rows, "pred" by those of the
--- columns, "all" by the sum of all. Binary: row and column 1 are no, 2 are yes.
function ConfusionMatrix:init(...)
  local given = read_confusion(...)
  checks.choice("ConfusionMatrix", "normalize", given.normalize, {"none", "true", "pred", "all"})
  checks.choice("ConfusionMatrix", "task", given.task, {"multiclass", "binary"})
  set_options(self, given)
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
