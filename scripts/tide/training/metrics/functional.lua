-- metrics.functional: metrics of one batch, f(predictions, targets, {options of the class}).
local metrics = require "tide.training.metrics"
local reader = require "tide.internal.declare.reader"
local strict_table = require "tide.internal.strict_table"

local functional = {}

--- Makes the function declared as `name`: the value of metrics[`class`] for one batch.
local function define(name, class)
  local read = reader(name)
  functional[name:match "[%w_]+$"] = function(...)
    local options = read(...)
    local predictions, targets = options.predictions, options.targets
    options.predictions, options.targets = nil, nil
    return metrics[class](options)(predictions, targets)
  end
end

--- See tide.metrics.Accuracy.
---@use metrics: predictions, targets
---@like metrics.Accuracy in training/metrics/classification.lua
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.functional.accuracy(p, t) --> 0.6667
define("metrics.functional.accuracy", "Accuracy")

--- See tide.metrics.TopKAccuracy.
---@use metrics: predictions, targets
---@like metrics.TopKAccuracy in training/metrics/classification.lua
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.functional.top_k_accuracy(p, t, {k = 2}) --> 1.0
define("metrics.functional.top_k_accuracy", "TopKAccuracy")

--- See tide.metrics.Precision.
---@use metrics: predictions, targets
---@like metrics.Precision in training/metrics/classification.lua
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.functional.precision(p, t) --> 0.75
define("metrics.functional.precision", "Precision")

--- See tide.metrics.Recall.
---@use metrics: predictions, targets
---@like metrics.Recall in training/metrics/classification.lua
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.functional.recall(p, t) --> 0.75
define("metrics.functional.recall", "Recall")

--- See tide.metrics.F1.
---@use metrics: predictions, targets
---@like metrics.F1 in training/metrics/classification.lua
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.functional.f1(p, t) --> 0.6667
define("metrics.functional.f1", "F1")

--- See tide.metrics.AUROC.
---@use metrics: predictions, targets
---@like metrics.AUROC in training/metrics/ranking.lua
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.functional.auroc(p, t) --> 1.0
define("metrics.functional.auroc", "AUROC")

--- See tide.metrics.AveragePrecision.
---@use metrics: predictions, targets
---@like metrics.AveragePrecision in training/metrics/ranking.lua
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.functional.average_precision(p, t) --> 1.0
define("metrics.functional.average_precision", "AveragePrecision")

--- See tide.metrics.ConfusionMatrix.
---@use metrics: predictions, targets
---@like metrics.ConfusionMatrix in training/metrics/classification.lua
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.functional.confusion_matrix(p, t) --> {{1, 0}, {1, 1}}
define("metrics.functional.confusion_matrix", "ConfusionMatrix")

--- See tide.metrics.MeanSquaredError.
---@use metrics: predictions, targets
---@like metrics.MeanSquaredError in training/metrics/regression.lua
---@example
--- local p, t = tide.tensor{1.0, 2, 5}, tide.tensor{1.0, 2, 3}
--- tide.metrics.functional.mean_squared_error(p, t) --> 1.333
define("metrics.functional.mean_squared_error", "MeanSquaredError")

--- See tide.metrics.MeanAbsoluteError.
---@use metrics: predictions, targets
---@like metrics.MeanAbsoluteError in training/metrics/regression.lua
---@example
--- local p, t = tide.tensor{1.0, 2, 5}, tide.tensor{1.0, 2, 3}
--- tide.metrics.functional.mean_absolute_error(p, t) --> 0.6667
define("metrics.functional.mean_absolute_error", "MeanAbsoluteError")

--- See tide.metrics.R2Score.
---@use metrics: predictions, targets
---@like metrics.R2Score in training/metrics/regression.lua
---@example
--- local p, t = tide.tensor{1.0, 2, 5}, tide.tensor{1.0, 2, 3}
--- tide.metrics.functional.r2_score(p, t) --> -1.0
define("metrics.functional.r2_score", "R2Score")

--- See tide.metrics.Perplexity.
---@use metrics: predictions, targets
---@like metrics.Perplexity in training/metrics/perplexity.lua
---@example
--- tide.metrics.functional.perplexity(tide.zeros(2, 4), tide.tensor{1, 3}) --> 4.0
define("metrics.functional.perplexity", "Perplexity")

--- Metrics of one batch: see tide.metrics.functional.NAME.
---@type table
---@example
--- tide.metrics.functional.accuracy ~= nil --> true
return strict_table("tide.metrics.functional", functional)
