-- Formulas and shapes of losses. With reduction "none" the losses l are returned.
return {
  {
    of = "cross_entropy",
    formula = "l = -weight[t] log(softmax(x)[t]); the mean is weighted; with label_smoothing s: (1 - s) l + s times "
      .. "the mean over all classes",
    shapes = "x (n, classes), target (n) of classes or (n, classes) of probabilities -> (); x (n, classes, ...), "
      .. "target (n, ...)",
    counts = "target, from 1 to classes; ignore_index is -100",
    errors = "a class out of range raises when the loss is read, with the line of the loss",
    see = "nn.CrossEntropyLoss F.cross_entropy nn.NLLLoss nn.BCEWithLogitsLoss metrics.Accuracy",
  },
  {
    of = "nll_loss",
    formula = "l = -weight[t] x[t]; the mean is weighted",
    shapes = "x (n, classes), target (n) -> (); x (n, classes, ...), target (n, ...)",
    counts = "target, from 1 to classes; ignore_index is -100",
    errors = "a class out of range raises when the loss is read, with the line of the loss",
    see = "nn.NLLLoss nn.LogSoftmax nn.CrossEntropyLoss F.nll_loss",
  },
  {
    of = "mse_loss",
    formula = "l = (x - target)^2",
    shapes = "x and target of one shape -> ()",
    see = "nn.MSELoss nn.L1Loss nn.HuberLoss F.mse_loss",
  },
  {
    of = "l1_loss",
    formula = "l = |x - target|",
    shapes = "x and target of one shape -> ()",
    see = "nn.L1Loss nn.MSELoss nn.SmoothL1Loss F.l1_loss",
  },
  {
    of = "smooth_l1_loss",
    formula = "l = d^2 / (2 beta) if d < beta, else d - beta / 2, d = |x - target|",
    see = "nn.SmoothL1Loss nn.HuberLoss F.smooth_l1_loss",
  },
  {
    of = "huber_loss",
    formula = "l = d^2 / 2 if d < delta, else delta (d - delta / 2), d = |x - target|",
    see = "nn.HuberLoss nn.SmoothL1Loss F.huber_loss",
  },
  {
    of = "binary_cross_entropy",
    formula = "l = -weight (target log x + (1 - target) log(1 - x)), logarithms not below -100",
    see = "nn.BCELoss nn.BCEWithLogitsLoss F.binary_cross_entropy",
  },
  {
    of = "binary_cross_entropy_with_logits",
    formula = "l = -weight (pos_weight target log s + (1 - target) log(1 - s)), s = sigmoid(x)",
    see = "nn.BCEWithLogitsLoss nn.BCELoss F.binary_cross_entropy_with_logits",
  },
  {
    of = "kl_div",
    formula = "l = target (log target - x); with log_target exp(target) (target - x)",
    see = "nn.KLDivLoss F.kl_div F.log_softmax",
  },
  {
    of = "gaussian_nll_loss",
    formula = "l = (log v + (x - target)^2 / v) / 2, v = max(var, eps); full adds log(2 pi) / 2",
    see = "nn.GaussianNLLLoss F.gaussian_nll_loss nn.MSELoss",
  },
  {
    of = "hinge_embedding_loss",
    formula = "l = x if target is 1, max(0, margin - x) if it is -1",
    see = "nn.HingeEmbeddingLoss F.hinge_embedding_loss",
  },
  {
    of = "margin_ranking_loss",
    formula = "l = max(0, -target (x1 - x2) + margin)",
    see = "nn.MarginRankingLoss F.margin_ranking_loss",
  },
  {
    of = "cosine_embedding_loss",
    formula = "l = 1 - cos(x1, x2) if target is 1, max(0, cos(x1, x2) - margin) if it is -1",
    see = "nn.CosineEmbeddingLoss nn.CosineSimilarity F.cosine_embedding_loss",
  },
  {
    of = "triplet_margin_loss",
    formula = "l = max(0, d(anchor, positive) - d(anchor, negative) + margin)",
    see = "nn.TripletMarginLoss nn.TripletMarginWithDistanceLoss F.triplet_margin_loss",
  },
}
