-- The table `tide.metrics`: metrics of the quality of predictions.
local lazy_table = require "tide.internal.lazy_table"

--- Metrics of the quality of predictions: see tide.metrics.NAME.
---@type table
---@example
--- tide.metrics.Accuracy ~= nil --> true
return lazy_table("tide.training.metrics", {
  Collection = "collection", Mean = "mean", Metric = "metric", Perplexity = "perplexity",
  functional = "functional",
}, {
  classification = {"Accuracy", "ConfusionMatrix", "F1", "Precision", "Recall", "TopKAccuracy"},
  ranking = {"AUROC", "AveragePrecision"},
  regression = {"MeanAbsoluteError", "MeanSquaredError", "R2Score"},
}, "tide.metrics")
