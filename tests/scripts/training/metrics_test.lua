-- Metrics: values of scikit-learn, batches, counts and waits. In the calls of
-- scikit-learn classes are one less, p, t, s, y, q are the data below, and oh = np.eye(3)[t].
local tide = require "tide"
local test = require "tide.test"
local describe, it, raises = test.describe, test.it, test.raises
local metrics = tide.metrics

local function near(got, expected) test.close(got:tolist(), expected, {rtol = 1e-12, atol = 1e-12}) end

describe("metrics", function(device)
  local p, t, s, y
  local function put(values, dtype) return tide.tensor(values, {device = device, dtype = dtype}) end
  test.before_each(function()
    p = put {{0.7, 0.2, 0.1}, {0.3, 0.4, 0.3}, {0.1, 0.1, 0.8}, {0.5, 0.3, 0.2}, {0.2, 0.3, 0.5},
      {0.6, 0.3, 0.1}}
    t = put {1, 2, 3, 2, 3, 3}
    s, y = put {0.1, 0.4, 0.4, 0.8, 0.4, 0.9, 0.3}, put {0, 0, 1, 1, 1, 0, 1}
  end)

  it("of classes are scikit-learn's", function()
    -- q = p.argmax(1); precision_score(t, q, average=...), recall_score, f1_score
    local expected = {
      Precision = {2 / 3, 7 / 9, 8 / 9, {1 / 3, 1, 1}},
      Recall = {2 / 3, 13 / 18, 2 / 3, {1, 0.5, 2 / 3}},
      F1 = {2 / 3, 0.6555555555555556, 0.7055555555555556, {0.5, 2 / 3, 0.8}},
      -- accuracy_score(t, q), balanced_accuracy_score(t, q)
      Accuracy = {2 / 3, 13 / 18, 2 / 3, {1, 0.5, 2 / 3}},
    }
    for name, figures in pairs(expected) do
      for i, average in ipairs {"micro", "macro", "weighted", "none"} do
        near(metrics[name] {average = average}(p, t), figures[i])
      end
    end
    near(metrics.TopKAccuracy(2)(p, t), 5 / 6) -- top_k_accuracy_score(t, p, k=2)
    near(metrics.Accuracy {top_k = 2}(p, t), 5 / 6)
  end)
  it("skip classes that do not occur", function()
    -- precision_score([0, 1, 1, 0, 1], [0, 1, 0, 3, 1], average="macro", zero_division=0), ...
    local said, right, options = put {1, 2, 1, 4, 2}, put {1, 2, 2, 1, 2}, {num_classes = 5}
    near(metrics.functional.precision(said, right, options), 0.5)
    near(metrics.functional.recall(said, right, options), 0.38888888888888884)
    near(metrics.functional.f1(said, right, options), 0.43333333333333335)
    -- balanced_accuracy_score
    near(metrics.Accuracy {num_classes = 5, average = "macro"}(said, right), 0.5833333333333333)
  end)
  it("of binary targets and of labels are scikit-learn's", function()
    -- accuracy_score(y, s > 0.35), precision_score, recall_score, f1_score
    local expected = {Accuracy = 4 / 7, Precision = 0.6, Recall = 0.75, F1 = 2 / 3}
    for name, figure in pairs(expected) do
      near(metrics[name] {task = "binary", threshold = 0.35}(s, y), figure)
    end
    -- precision_score(right, said, average=..., zero_division=0)
    local right = put {{1, 0, 1}, {0, 1, 0}, {1, 1, 0}, {0, 0, 0}}
    local said = put {{1, 0, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 0}}
    local labels = {
      Precision = {0.6, 0.5555555555555555, 2 / 3}, Recall = {0.6, 0.5, 0.6},
      F1 = {0.6, 0.48888888888888893, 0.5866666666666667},
      Accuracy = {2 / 3, 2 / 3, 0.7}, -- (right == said).mean(), of .mean(0), weighted by right.sum(0)
    }
    for name, figures in pairs(labels) do
      for i, average in ipairs {"micro", "macro", "weighted"} do
        near(metrics[name] {task = "multilabel", average = average}(said, right), figures[i])
      end
    end
  end)
  it("of scores are scikit-learn's, with ties", function()
    near(metrics.AUROC()(s, y), 0.5) -- roc_auc_score(y, s)
    near(metrics.AveragePrecision()(s, y), 0.5916666666666667) -- average_precision_score(y, s)
    near(metrics.AUROC()(p, t), 0.8657407407407408) -- roc_auc_score(t, p, multi_class="ovr")
    near(metrics.AUROC {average = "weighted"}(p, t), 0.8194444444444443)
    near(metrics.AveragePrecision()(p, t), 0.861111111111111) -- average_precision_score(oh, p)
    near(metrics.AveragePrecision {average = "none"}(p, t), {1, 0.75, 5 / 6})
  end)
  it("without a true or a false target, or with nan, are nan", function()
    near(metrics.AUROC()(put {0.1, 0.2}, put {1, 1}), 0 / 0)
    near(metrics.AveragePrecision()(put {0.1, 0.2}, put {0, 0}), 0 / 0)
    near(metrics.AUROC()(put {0.1, 0 / 0}, put {0, 1}), 0 / 0)
  end)
  it("count confusions", function()
    local function matrix(normalize) return metrics.ConfusionMatrix {normalize = normalize}(p, t) end
    -- confusion_matrix(t, q, normalize=...)
    test.equal(matrix "none":tolist(), {{1, 0, 0}, {1, 1, 0}, {1, 0, 2}})
    near(matrix "true", {{1, 0, 0}, {0.5, 0.5, 0}, {1 / 3, 0, 2 / 3}})
    near(matrix "pred", {{1 / 3, 0, 0}, {1 / 3, 1, 0}, {1 / 3, 0, 1}})
    near(matrix "all", {{1 / 6, 0, 0}, {1 / 6, 1 / 6, 0}, {1 / 6, 0, 1 / 3}})
    local binary = metrics.ConfusionMatrix {task = "binary", threshold = 0.35}
    test.equal(binary(s, y):tolist(), {{1, 2}, {1, 3}})
  end)
  it("of numbers are scikit-learn's", function()
    local right = put {{3.0, -0.5}, {-1, 2}, {7, 8}}
    local said = put {{2.5, 0.0}, {0.0, 2}, {2, 8}}
    near(metrics.MeanSquaredError()(said, right), 4.416666666666667) -- mean_squared_error
    near(metrics.MeanSquaredError {squared = false}(said, right), math.sqrt(4.416666666666667))
    near(metrics.MeanAbsoluteError()(said, right), 1.1666666666666665)
    near(metrics.R2Score()(said, right), 0.5865686408296944) -- r2_score
    -- The same over two batches, and far from 0, where squares of the numbers lose all digits.
    local score = metrics.R2Score()
    score:update(said:to("float64")[{{1, 2}}] + 1e9, right:to("float64")[{{1, 2}}] + 1e9)
    score:update(said:to("float64")[{{3, 3}}] + 1e9, right:to("float64")[{{3, 3}}] + 1e9)
    test.close(score:compute():item(), 0.5865686408296944, {rtol = 1e-9})
    near(metrics.R2Score()(put {2.0, 2}, put {2.0, 2}), 1)
    near(metrics.R2Score()(put {2.0, 3}, put {2.0, 2}), 0)
  end)
  it("ignore targets of one class", function()
    near(metrics.Perplexity {ignore_index = 2}(put({{0.0, 0, 0}, {9, 0, 0}}, "float64"), put {1, 2}), 3)
    near(metrics.Accuracy {ignore_index = -1}(p, put {1, -1, -1, 2, -1, -1}), 0.5)
  end)
  it("over batches equal those of all samples", function()
    for _, name in ipairs {"Accuracy", "Precision", "Recall", "F1", "AUROC", "AveragePrecision",
      "ConfusionMatrix", "Perplexity"} do
      local metric = metrics[name]()
      metric:update(p[{{1, 2}}], t[{{1, 2}}])
      metric:update(p:narrow(1, 3, 0), t:narrow(1, 3, 0)) -- an empty batch
      near(metric(p[{{3, 6}}], t[{{3, 6}}]), metrics[name]()(p[{{3, 6}}], t[{{3, 6}}]):tolist())
      near(metric:compute(), metrics[name]()(p, t):tolist())
      metric:reset()
      raises(name .. ": compute was called before the first update", metric.compute, metric)
    end
  end)
  it("stay on their device and wait only when a value is read", function()
    local all = metrics.Collection {accuracy = metrics.Accuracy(), area = metrics.AUROC(), f1 = metrics.F1()}
    tide.synchronize()
    local waits = tide.wait_count()
    for _ = 1, 3 do all:update(p:clone():requires_grad_(), t) end
    local figures = all:compute()
    test.equal(tide.wait_count() - waits, 0)
    test.equal(figures.accuracy.device, tide.device(device))
    test.is_false(figures.accuracy.requires_grad)
    test.close(figures.accuracy:item(), 2 / 3, {rtol = 1e-12})
    test.is_true(tide.wait_count() - waits <= 1)
  end)
  it("accept half types, and count beyond the precision of float32", function()
    near(metrics.MeanSquaredError()(put({300.0, 300}, "float16"), put({0.0, 0}, "float16")), 90000)
    near(metrics.Accuracy()(p:to("float16"), t), 2 / 3)
    local metric = metrics.ConfusionMatrix(2)
    metric:update(put {1}, put {1})
    metric.state.matrix = metric.state.matrix * (1 << 24)
    metric:update(put {1}, put {1})
    test.equal(metric:compute():tolist(), {{(1 << 24) + 1, 0}, {0, 0}})
  end)
  it("reject classes out of range when the value is read", function()
    raises("positions start at 1", function()
      return metrics.Accuracy()(p, put {0, 1, 2, 1, 1, 1}):item()
    end)
    raises("out of range: there are 3", function()
      return metrics.ConfusionMatrix()(p, put {4, 1, 2, 1, 1, 1}):tolist()
    end)
    for _, name in ipairs {"AUROC", "F1"} do
      raises("out of range: there are 2", function() return metrics[name] {task = "binary"}(s, y + 1):item() end)
    end
  end)
end)

describe("arguments of metrics", function()
  local p, t = tide.ones(4, 3), tide.tensor {1, 2, 3, 1}
  it("are checked", function()
    raises("do not match targets of shape (3)", function() metrics.Accuracy():update(p, t[{{1, 3}}]) end)
    raises("differ in shape: (4, 3) and (4)", function() metrics.MeanSquaredError():update(p, t) end)
    raises("num_classes is required", function() metrics.F1():update(t, t) end)
    raises("num_classes is 4, but predictions have 3", function()
      metrics.F1 {num_classes = 4}:update(p, t)
    end)
    raises("targets: classes are integers from 1, got float32", function()
      metrics.F1():update(p, t:float())
    end)
    raises("targets: expected a tensor, got table", function() metrics.AUROC():update(p, {1}) end)
    raises('average must be "micro", "macro", "weighted" or "none", got "mean"', metrics.Recall, {average = "mean"})
    raises("top_k is 4, but there are 3 classes", function() metrics.Accuracy {top_k = 4}:update(p, t) end)
    raises("expected metrics by name", metrics.Collection, {metrics.F1()})
  end)
  it("of Mean may be weighted", function()
    local mean = metrics.Mean()
    mean:update(tide.tensor {1.0, 2}, 2)
    mean:update(6)
    test.equal(mean:compute():item(), 2.4)
  end)
end)
