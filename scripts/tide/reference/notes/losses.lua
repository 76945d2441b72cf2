-- Formulas and shapes of losses. With reduction "none" the losses l are given as they are.
return {
  {
    of = "cross_entropy CrossEntropyLoss",
    formula = "l = -weight[t] log(softmax(x)[t]); the mean is weighted; with label_smoothing s: "
      .. "(1 - s) l + s times the mean over all classes",
    shapes = "x (n, classes), target (n) of classes or (n, classes) of probabilities -> (); x (n, "
      .. "classes, ...), target (n, ...)",
    counts = "target, from 1 to classes; ignore_index is -100",
    errors = "a class out of range raises when the loss is read, with the line of the loss",
    see = "nn.CrossEntropyLoss F.cross_entropy nn.NLLLoss nn.BCEWithLogitsLoss metrics.Accuracy",
  },
  {
    of = "nll_loss NLLLoss",
    formula = "l = -weight[t] x[t]; the mean is weighted",
    shapes = "x (n, classes), target (n) -> (); x (n, classes, ...), target (n, ...)",
    counts = "target, from 1 to classes; ignore_index is -100",
    errors = "a class out of range raises when the loss is read, with the line of the loss",
    see = "nn.NLLLoss nn.LogSoftmax nn.CrossEntropyLoss F.nll_loss",
  },
  {
    of = "mse_loss MSELoss",
    formula = "l = (x - target)^2",
    shapes = "x and target of one shape -> ()",
    see = "nn.MSELoss nn.L1Loss nn.HuberLoss F.mse_loss",
  },
  {
    of = "l1_loss L1Loss",
    formula = "l = |x - target|",
    shapes = "x and target of one shape -> ()",
    see = "nn.L1Loss nn.MSELoss nn.SmoothL1Loss F.l1_loss",
  },
  {
    of = "smooth_l1_loss SmoothL1Loss",
    formula = "l = d^2 / (2 beta) if d < beta, else d - beta / 2, d = |x - target|",
    see = "nn.SmoothL1Loss nn.HuberLoss F.smooth_l1_loss",
  },
  {
    of = "huber_loss HuberLoss",
    formula = "l = d^2 / 2 if d < delta, else delta (d - delta / 2), d = |x - target|",
    see = "nn.HuberLoss nn.SmoothL1Loss F.huber_loss",
  },
  {
    of = "binary_cross_entropy BCELoss",
    formula = "l = -weight (target log x + (1 - target) log(1 - x)), logarithms not below -100",
    see = "nn.BCELoss nn.BCEWithLogitsLoss F.binary_cross_entropy",
  },
  {
    of = "binary_cross_entropy_with_logits BCEWithLogitsLoss",
    formula = "l = -weight (pos_weight target log s + (1 - target) log(1 - s)), s = sigmoid(x)",
    see = "nn.BCEWithLogitsLoss nn.BCELoss F.binary_cross_entropy_with_logits",
  },
  {
    of = "kl_div KLDivLoss",
    formula = "l = target (log target - x); with log_target exp(target) (target - x)",
    see = "nn.KLDivLoss F.kl_div F.log_softmax",
  },
  {
    of = "gaussian_nll_loss GaussianNLLLoss",
    formula = "l = (log v + (x - target)^2 / v) / 2, v = max(var, eps); full adds log(2 pi) / 2",
    see = "nn.GaussianNLLLoss F.gaussian_nll_loss nn.MSELoss",
  },
  {
    of = "poisson_nll_loss PoissonNLLLoss",
    formula = "l = exp(x) - target x; without log_input x - target log(x + eps)",
    see = "nn.PoissonNLLLoss F.poisson_nll_loss",
  },
  {
    of = "hinge_embedding_loss HingeEmbeddingLoss",
    formula = "l = x if target is 1, max(0, margin - x) if it is -1",
    see = "nn.HingeEmbeddingLoss F.hinge_embedding_loss",
  },
  {
    of = "margin_ranking_loss MarginRankingLoss",
    formula = "l = max(0, -target (x1 - x2) + margin)",
    see = "nn.MarginRankingLoss F.margin_ranking_loss",
  },
  {
    of = "cosine_embedding_loss CosineEmbeddingLoss",
    formula = "l = 1 - cos(x1, x2) if target is 1, max(0, cos(x1, x2) - margin) if it is -1",
    see = "nn.CosineEmbeddingLoss nn.CosineSimilarity F.cosine_embedding_loss",
  },
  {
    of = "triplet_margin_loss TripletMarginLoss triplet_margin_with_distance_loss "
      .. "TripletMarginWithDistanceLoss",
    formula = "l = max(0, d(anchor, positive) - d(anchor, negative) + margin)",
    see = "nn.TripletMarginLoss nn.TripletMarginWithDistanceLoss F.triplet_margin_loss",
  },
  {
    of = "multi_margin_loss MultiMarginLoss",
    formula = "l = sum over i ~= t of max(0, margin - x[t] + x[i])^p / classes",
    counts = "target, from 1 to classes",
    see = "nn.MultiMarginLoss F.multi_margin_loss nn.CrossEntropyLoss",
  },
  {
    of = "multilabel_margin_loss MultiLabelMarginLoss",
    formula = "l = sum over targets t and other classes i of max(0, 1 - (x[t] - x[i])) / classes",
    counts = "target, from 1 to classes",
    see = "nn.MultiLabelMarginLoss F.multilabel_margin_loss",
  },
  {
    of = "multilabel_soft_margin_loss MultiLabelSoftMarginLoss",
    formula = "l = -mean over classes of weight (target log s + (1 - target) log(1 - s)), s = "
      .. "sigmoid(x)",
    see = "nn.MultiLabelSoftMarginLoss nn.BCEWithLogitsLoss",
  },
  {
    of = "soft_margin_loss SoftMarginLoss",
    formula = "l = log(1 + exp(-target x))",
    see = "nn.SoftMarginLoss F.soft_margin_loss",
  },
  {
    of = "ctc_loss CTCLoss",
    formula = "l = -log of the probability of all alignments of the target; the mean divides by "
      .. "the lengths of targets",
    counts = "targets and blank",
    see = "nn.CTCLoss F.ctc_loss nn.LogSoftmax",
  },
  {
    of = "AdaptiveLogSoftmaxWithLoss",
    counts = "classes and cutoffs",
    see = "nn.CrossEntropyLoss nn.LogSoftmax",
  },
}
