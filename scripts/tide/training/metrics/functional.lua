-- metrics.functional: metrics of one batch, f(predictions, targets, {options of the class}).
local metrics = require "tide.training.metrics"
local refuse_more = require "tide.internal.declare.refuse_more"
local strict_table = require "tide.internal.strict_table"

local classes = {
  accuracy = "Accuracy", auroc = "AUROC", average_precision = "AveragePrecision",
  confusion_matrix = "ConfusionMatrix", f1 = "F1", mean_absolute_error = "MeanAbsoluteError",
  mean_squared_error = "MeanSquaredError", perplexity = "Perplexity", precision = "Precision",
  r2_score = "R2Score", recall = "Recall", top_k_accuracy = "TopKAccuracy",
}

local functional = {}
for name, class in pairs(classes) do
  functional[name] = function(predictions, targets, options, ...)
    refuse_more(name, 3, ...)
    return metrics[class](options or {})(predictions, targets)
  end
end

--- Metrics of one batch: see tide.metrics.functional.NAME.
---@type table
---@example
--- tide.metrics.functional.accuracy ~= nil --> true
return strict_table("tide.metrics.functional", functional)
