-- The reference of metrics.
local kScores = "local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}; "
local kNumbers = "local p, t = tide.tensor{1.0, 2, 5}, tide.tensor{1.0, 2, 3}; "

--- An example that shows the figure of one batch.
local function shown(data, call, figure)
  return data .. "tide.metrics." .. call .. "(p, t) --> " .. figure
end

local function functional(data, name, figure)
  return data .. "tide.metrics.functional." .. name .. "(p, t) --> " .. figure
end

return {
  {
    title = "Metrics",
    prefix = "tide.metrics.",
    {"Accuracy", "(...)",
      "The share of predictions that are right; task: multiclass, binary or multilabel; average: micro, " ..
        "macro, weighted or none", shown(kScores, "Accuracy()", "0.6667")},
    {"TopKAccuracy", "(...)",
      "The share of targets that are among the k best classes", shown(kScores, "TopKAccuracy(1)", "0.6667")},
    {"Precision", "(...)", "The share of what was taken for a class that is of it",
      shown(kScores, "Precision()", "0.75")},
    {"Recall", "(...)", "The share of a class that was found", shown(kScores, "Recall()", "0.75")},
    {"F1", "(...)", "The harmonic mean of precision and recall", shown(kScores, "F1()", "0.6667")},
    {"AUROC", "(...)",
      "The area under the receiver operating characteristic; of several classes each against the rest; " ..
        "keeps all predictions", shown(kScores, "AUROC()", "1.0")},
    {"AveragePrecision", "(...)", "The mean precision over all thresholds; keeps all predictions",
      shown(kScores, "AveragePrecision()", "1.0")},
    {"ConfusionMatrix", "(...)",
      "How many samples of each class (rows) were taken for each class (columns)",
      shown(kScores, "ConfusionMatrix()", "{{1, 0}, {1, 1}}")},
    {"MeanSquaredError", "(...)", "The mean of squared errors; squared = false: its root",
      shown(kNumbers, "MeanSquaredError()", "1.333")},
    {"MeanAbsoluteError", "()", "The mean of errors without their sign",
      shown(kNumbers, "MeanAbsoluteError()", "0.6667")},
    {"R2Score", "(...)", "The share of the targets' variance that is explained",
      shown(kNumbers, "R2Score()", "-1.0")},
    {"Perplexity", "(...)", "exp of the mean cross entropy of words; takes scores before softmax",
      "tide.metrics.Perplexity()(tide.zeros(2, 3, 4), tide.ones({2, 3}, {dtype = \"int64\"})) --> 4.0"},
    {"Mean", "()", "The mean of numbers or tensors: update(value, weight)",
      "local mean = tide.metrics.Mean(); mean:update(1.0); mean:update(4.0, 2); mean:compute() --> 3.0"},
    {"Collection", "({name = metric, ...})", "Several metrics at once; figures by name",
      kScores .. "tide.metrics.Collection{accuracy = tide.metrics.Accuracy()}(p, t) --> {accuracy = 0.6667}"},
    {"Metric", "", "The base of metrics: define measure(...), a batch's state, and value(state)",
      [[local Largest = tide.class("Largest", tide.metrics.Metric); ]] ..
        "function Largest:measure(x) return {x = x:max()} end; " ..
        "function Largest:combine(a, b) return {x = a.x:maximum(b.x)} end; " ..
        "function Largest:value(state) return state.x end; Largest()(tide.tensor{1.0, 3}) --> 3.0"},
    {"functional", "", "Figures of one batch: see tide.metrics.functional.NAME",
      "tide.metrics.functional.accuracy ~= nil --> true"},
  },
  {
    title = "Methods of metrics",
    prefix = "metric:",
    {"update", "(predictions, targets)", "Takes a batch in; metric(predictions, targets) also gives its figure",
      "local metric = tide.metrics.Mean(); metric:update(2.0); metric:compute() --> 2.0"},
    {"compute", "()", "The figure over all batches since the last reset, as a tensor",
      "local metric = tide.metrics.Mean(); metric:update(2.0); metric:compute() --> 2.0"},
    {"reset", "()", "Forgets all batches",
      "local metric = tide.metrics.Mean(); metric:update(2.0); metric:reset(); metric:update(3.0); " ..
        "metric:compute() --> 3.0"},
  },
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
    {"f1", "(predictions, targets, {options of metrics.F1})", "See tide.metrics.F1", functional(kScores, "f1", "0.6667")},
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
