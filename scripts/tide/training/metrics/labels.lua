-- Converts predictions and targets to counts for each class or label.
--
-- Counts are int64: float32 cannot count beyond 2^24.
local checks = require "tide.training.metrics.checks"
local raise = require "tide.internal.raise"
local tide = require "tide"

local labels = {}

--- Converts targets of 0 and 1 to bool. Other values raise an error when the metric is read.
local function truth(targets)
  if targets.dtype == "bool" then return targets end
  local values = tide.tensor({false, true}, {device = targets.device})
  return values:index_select(1, targets:reshape(-1):to("int64") + 1):reshape(targets.shape)
end
labels.truth = truth

--- Binary predictions and targets as bool tensors (samples, labels).
function labels.yes_or_no(metric, predictions, targets)
  local name = metric.name
  checks.same_shape(name, predictions, targets)
  local count = 1
  if metric.task == "multilabel" then
    if predictions:dim() < 2 then
      raise("%s: expected multilabel predictions (samples, labels, ...), got shape (%s)",
        name, table.concat(predictions.shape, ", "))
    end
    count = predictions:size(2)
    if metric.num_classes and count ~= metric.num_classes then
      raise("%s: num_classes is %d, but predictions have %d labels", name, metric.num_classes, count)
    end
  end
  local said = predictions
  if predictions:is_floating_point() then
    said = predictions:gt(metric.threshold)
  elseif predictions.dtype ~= "bool" then
    said = truth(predictions)
  end
  local function rows(x)
    if metric.task == "multilabel" then x = x:movedim(2, -1) end
    return x:reshape(x:numel() // math.max(count, 1), count)
  end
  return rows(said), rows(truth(targets))
end

--- The number of classes, from the shape of the predictions or `num_classes`.
local function class_count(metric, predictions)
  local name, wanted = metric.name, metric.num_classes
  if not predictions:is_floating_point() then
    if not wanted then raise("%s: num_classes is required for predictions that are classes", name) end
    return wanted
  end
  local found = predictions:dim() > 1 and predictions:size(2) or 0
  if wanted and found > 0 and wanted ~= found then
    raise("%s: num_classes is %d, but predictions have %d classes", name, wanted, found)
  end
  return found
end

--- An int64 vector with the number of true `marks` (bool) for each class.
local function count_of(classes, marks, count)
  return tide.zeros({count}, {dtype = "int64", device = classes.device})
    :index_add(1, classes, marks:to("int64"))
end
labels.count_of = count_of

--- Targets and predicted classes as vectors, whether each target counts, and the number of classes.
--- With top_k above 1 a target that is among the best top_k counts as predicted.
function labels.classes(metric, predictions, targets)
  local name, top_k = metric.name, metric.top_k or 1
  checks.tensors(name, predictions, targets)
  checks.classes(name, "targets", targets)
  local said
  if predictions:is_floating_point() then
    checks.without_classes(name, predictions, targets, 2)
    local count = predictions:size(2)
    if top_k > count then raise("%s: top_k is %d, but there are %d classes", name, top_k, count) end
    said = predictions:argmax(2)
    if top_k > 1 then
      local _, best = predictions:topk(top_k, 2)
      said = tide.where(best:eq(targets:unsqueeze(2)):any(2), targets:to("int64"), said)
    end
  else
    checks.classes(name, "predictions", predictions)
    checks.same_shape(name, predictions, targets)
    if top_k > 1 then raise("%s: top_k requires scores, got predictions that are classes", name) end
    said = predictions
  end
  said, targets = said:reshape(-1):to("int64"), targets:reshape(-1):to("int64")
  local counts = tide.ones_like(targets, {dtype = "bool"})
  if metric.ignore_index then
    counts = targets:ne(metric.ignore_index)
    local one = tide.ones_like(targets)
    said, targets = tide.where(counts, said, one), tide.where(counts, targets, one)
  end
  -- Looked up once, so that a class out of range raises one error for all counts.
  local count = class_count(metric, predictions)
  local classes = tide.range(1, count, {device = targets.device})
  if not predictions:is_floating_point() then said = classes:index_select(1, said) end
  return said, classes:index_select(1, targets), counts, count
end

--- The counts of a batch, int64 for each class or label: true_positive, predicted, support (targets) and total
--- (samples).
function labels.counts(metric, predictions, targets)
  if metric.task == "multiclass" then
    local said, right, counts, count = labels.classes(metric, predictions, targets)
    return {
      true_positive = count_of(right, said:eq(right) & counts, count),
      predicted = count_of(said, counts, count),
      support = count_of(right, counts, count),
      total = counts:sum(),
    }
  end
  local said, right = labels.yes_or_no(metric, predictions, targets)
  return {
    true_positive = (said & right):sum(1),
    predicted = said:sum(1),
    support = right:sum(1),
    total = tide.full({}, said:size(1), {dtype = "int64", device = said.device}),
  }
end

return labels
