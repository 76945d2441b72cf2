-- The reference of metrics.
local kScores = "local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}; "
local kNumbers = "local p, t = tide.tensor{1.0, 2, 5}, tide.tensor{1.0, 2, 3}; "

local function functional(data, name, figure)
  return data .. "tide.metrics.functional." .. name .. "(p, t) --> " .. figure
end

return {
  {
    title = "Metrics of one batch",
    prefix = "tide.metrics.functional.",
    {"accuracy", "(predictions, targets, {options of metrics.Accuracy})", "See tide.metrics.Accuracy",
      functional(kScores, "accuracy", "0.6667")},
    {"top_k_accuracy", "(predictions, targets, {k, num_classes, average, ignore_index})",
      "See tide.metrics.TopKAccuracy",
      kScores .. "tide.metrics.functional.top_k_accuracy(p, t, {k = 2}) --> 1.0"},
    {"precision", "(predictions, targets, {options of metrics.Precision})", "See tide.metrics.Precision",
      functional(kScores, "precision", "0.75")},
    {"recall", "(predictions, targets, {options of metrics.Recall})", "See tide.metrics.Recall",
      functional(kScores, "recall", "0.75")},
    {"f1", "(predictions, targets, {options of metrics.F1})", "See tide.metrics.F1",
      functional(kScores, "f1", "0.6667")},
    {"auroc", "(predictions, targets, {task, average})", "See tide.metrics.AUROC",
      functional(kScores, "auroc", "1.0")},
    {"average_precision", "(predictions, targets, {task, average})", "See tide.metrics.AveragePrecision",
      functional(kScores, "average_precision", "1.0")},
    {"confusion_matrix", "(predictions, targets, {options of metrics.ConfusionMatrix})",
      "See tide.metrics.ConfusionMatrix", functional(kScores, "confusion_matrix", "{{1, 0}, {1, 1}}")},
    {"mean_squared_error", "(predictions, targets, {squared})", "See tide.metrics.MeanSquaredError",
      functional(kNumbers, "mean_squared_error", "1.333")},
    {"mean_absolute_error", "(predictions, targets)", "See tide.metrics.MeanAbsoluteError",
      functional(kNumbers, "mean_absolute_error", "0.6667")},
    {"r2_score", "(predictions, targets, {multioutput})", "See tide.metrics.R2Score",
      functional(kNumbers, "r2_score", "-1.0")},
    {"perplexity", "(predictions, targets, {ignore_index})", "See tide.metrics.Perplexity",
      "tide.metrics.functional.perplexity(tide.zeros(2, 4), tide.tensor{1, 3}) --> 4.0"},
  },
}
