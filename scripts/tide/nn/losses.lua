-- Losses as modules: each calls a function of tide.nn.functional with the module's options.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"
local tide = require "tide"

local losses = {}

--- Makes the class declared as `name`, which calls F[fn](inputs..., {options}). Tensors among the options (class
--- weights) are buffers, which move with the module.
local function loss(name, fn)
  local Loss, read, _, option_names = define(name, Module)

  function Loss:init(...)
    local given, names = read(...)
    for _, key in ipairs(names) do
      local value = given[key]
      if tide.is_tensor(value) then self:register_buffer(key, value) else self[key] = value end
    end
  end

  function Loss:forward(...)
    local options = {}
    for _, key in ipairs(option_names()) do options[key] = self[key] end
    local inputs = table.pack(...)
    inputs[inputs.n + 1] = options
    return F[fn](table.unpack(inputs, 1, inputs.n + 1))
  end

  function Loss:describe() return self.reduction == "mean" and "" or tostring(self.reduction) end

  losses[Loss.name] = Loss
end

--- Binary cross entropy of probabilities.
---@param weight tensor = nil  weight of each element's loss
---@use nn: reduction = "mean"
---@formula l = -weight (target log x + (1 - target) log(1 - x)), with logarithms clamped to at least -100
---@see nn.BCEWithLogitsLoss
---@example
--- nn.BCELoss()(tide.tensor{0.5, 0.9}, tide.tensor{1.0, 1}) --> 0.3993
loss("nn.BCELoss", "binary_cross_entropy")

--- Binary cross entropy of logits.
---@param weight tensor = nil  weight of each element's loss
---@use nn: reduction = "mean"
---@param pos_weight tensor = nil  weight of targets that are 1, for each class
---@formula l = -weight (pos_weight target log s + (1 - target) log(1 - s)), s = sigmoid(x)
---@see nn.BCELoss
---@example
--- nn.BCEWithLogitsLoss()(tide.tensor{0.0, 3}, tide.tensor{1.0, 1}) --> 0.3709
loss("nn.BCEWithLogitsLoss", "binary_cross_entropy_with_logits")

--- Pulls vectors to a small angle for target 1, a large one for -1.
---@param margin number = 0.0  where target is -1, similarities below it have no loss
---@use nn: reduction = "mean"
---@formula l = 1 - cos(x1, x2) if target is 1, max(0, cos(x1, x2) - margin) if it is -1
---@see nn.CosineSimilarity
---@example
--- nn.CosineEmbeddingLoss()(tide.tensor{{1.0, 0}}, tide.tensor{{0.0, 1}}, tide.tensor{1}) --> 1.0
loss("nn.CosineEmbeddingLoss", "cosine_embedding_loss")

--- Connectionist temporal classification loss: sequences with unknown alignment.
---@param blank number = 1  class of the blank label, from 1
---@use nn: reduction = "mean", zero_infinity = false
---@formula l = -log(total probability of all alignments of the target); the mean divides by the target lengths
---@counts targets and blank
---@see F.ctc_loss nn.LogSoftmax
---@example
--- nn.CTCLoss()(tide.tensor{{0.6, 0.4}, {0.5, 0.5}}:log(), tide.tensor{2}, 2, 1) --> 0.3567
loss("nn.CTCLoss", "ctc_loss")

--- Cross entropy of logits (n, classes) and target classes (n), counted from 1.
---@param weight tensor = nil  weight of each class; nil is 1
---@use nn: ignore_index = -100, reduction = "mean"
---@param label_smoothing number = 0.0  fraction of the target distributed evenly over all classes
---@formula l = -weight[t] log(softmax(x)[t]); the mean is weighted; with label_smoothing s: (1 - s) l + s times the
---  mean over all classes
---@shapes x (n, classes), target (n) of classes or (n, classes) of probabilities -> (); x (n, classes, ...), target
---  (n, ...)
---@counts target, from 1 to classes; ignore_index is -100
---@errors a class out of range: raised when the loss is read, with the line that computed it
---@see F.cross_entropy nn.NLLLoss nn.BCEWithLogitsLoss metrics.Accuracy
---@example
--- nn.CrossEntropyLoss()(tide.tensor{{2.0, 0, 0}, {0, 2, 0}}, tide.tensor{1, 2}) --> 0.2395
loss("nn.CrossEntropyLoss", "cross_entropy")

--- Negative log-likelihood of normal distributions.
---@param full boolean = false  include the constant term
---@param eps number = 1e-6  smallest variance
---@use nn: reduction = "mean"
---@formula l = (log v + (x - target)^2 / v) / 2, v = max(var, eps); with full plus log(2 pi) / 2
---@see nn.MSELoss
---@example
--- nn.GaussianNLLLoss()(tide.tensor{1.0}, tide.tensor{3.0}, tide.tensor{4.0}) --> 1.193
loss("nn.GaussianNLLLoss", "gaussian_nll_loss")

--- Makes distances small for target 1, large for -1.
---@param margin number = 1.0  where target is -1, distances above it have no loss
---@use nn: reduction = "mean"
---@formula l = x if target is 1, max(0, margin - x) if it is -1
---@see F.hinge_embedding_loss
---@example
--- nn.HingeEmbeddingLoss()(tide.tensor{0.5, 0.2}, tide.tensor{1.0, -1}) --> 0.65
loss("nn.HingeEmbeddingLoss", "hinge_embedding_loss")

--- Squared error near 0, absolute error beyond delta.
---@use nn: reduction = "mean"
---@param delta number = 1.0  differences below it are squared
---@formula l = d^2 / 2 if d < delta, else delta (d - delta / 2), d = |x - target|
---@see nn.SmoothL1Loss F.huber_loss
---@example
--- nn.HuberLoss()(tide.tensor{1.0, 2}, tide.tensor{1.0, 4}) --> 0.75
loss("nn.HuberLoss", "huber_loss")

--- Kullback-Leibler divergence.
---@param reduction "none" | "mean" | "sum" | "batchmean" = "mean"  how the elements' losses are combined; "batchmean",
---  their sum divided by n, is the mathematical definition
---@param log_target boolean = false  target contains log-probabilities
---@formula l = target (log target - x); with log_target exp(target) (target - x)
---@see F.kl_div F.log_softmax
---@example
--- nn.KLDivLoss({reduction = "batchmean"})(tide.tensor{{0.5, 0.5}}:log(), tide.tensor{{0.25, 0.75}}) --> 0.1308
loss("nn.KLDivLoss", "kl_div")

--- The mean absolute difference.
---@use nn: reduction = "mean"
---@formula l = |x - target|
---@shapes x and target of the same shape -> ()
---@see nn.MSELoss nn.SmoothL1Loss F.l1_loss
---@example
--- nn.L1Loss()(tide.tensor{1.0, 2}, tide.tensor{1.0, 4}) --> 1.0
loss("nn.L1Loss", "l1_loss")

--- The mean squared difference of two tensors of the same shape.
---@use nn: reduction = "mean"
---@formula l = (x - target)^2
---@shapes x and target of the same shape -> ()
---@see nn.L1Loss nn.HuberLoss F.mse_loss
---@example
--- nn.MSELoss()(tide.tensor{1.0, 2}, tide.tensor{1.0, 4}) --> 2.0
loss("nn.MSELoss", "mse_loss")

--- Ranks x1 above x2 for target 1, below it for -1.
---@param margin number = 0.0  margin by which it should rank higher
---@use nn: reduction = "mean"
---@formula l = max(0, -target (x1 - x2) + margin)
---@example
--- nn.MarginRankingLoss()(tide.tensor{2.0}, tide.tensor{3.0}, tide.tensor{1.0}) --> 1.0
loss("nn.MarginRankingLoss", "margin_ranking_loss")

--- Hinge loss for several target classes, whose list ends at the first -1.
---@use nn: reduction = "mean"
---@formula l = sum over targets t and other classes i of max(0, 1 - (x[t] - x[i])) / classes
---@counts target, from 1 to classes
---@example
--- nn.MultiLabelMarginLoss()(tide.tensor{0.1, 0.2, 0.4, 0.8}, tide.tensor{4, 1, -1, 2}) --> 0.85
loss("nn.MultiLabelMarginLoss", "multilabel_margin_loss")

--- Binary cross entropy of each class, from logits, averaged over classes.
---@use nn: weight = nil, reduction = "mean"
---@formula l = -mean over classes of weight (target log s + (1 - target) log(1 - s)), s = sigmoid(x)
---@see nn.BCEWithLogitsLoss
---@example
--- nn.MultiLabelSoftMarginLoss()(tide.tensor{{0.0, 3}}, tide.tensor{{1.0, 1}}) --> 0.3709
loss("nn.MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss")

--- Hinge loss: every other class should score lower than the target by a margin.
---@param p number = 1  exponent, 1 or 2
---@param margin number = 1.0  margin by which the target's score should exceed the others
---@use nn: weight = nil, reduction = "mean"
---@formula l = sum over i ~= t of max(0, margin - x[t] + x[i])^p / classes
---@counts target, from 1 to classes
---@see nn.CrossEntropyLoss
---@example
--- nn.MultiMarginLoss()(tide.tensor{{0.1, 0.8}}, tide.tensor{1}) --> 0.85
loss("nn.MultiMarginLoss", "multi_margin_loss")

--- Negative log-likelihood of target classes, from log-probabilities.
---@param weight tensor = nil  weight of each class; nil is 1
---@use nn: ignore_index = -100, reduction = "mean"
---@formula l = -weight[t] x[t]; the mean is weighted
---@shapes x (n, classes), target (n) -> (); x (n, classes, ...), target (n, ...)
---@counts target, from 1 to classes; ignore_index is -100
---@errors a class out of range: raised when the loss is read, with the line that computed it
---@see nn.LogSoftmax nn.CrossEntropyLoss F.nll_loss
---@example
--- nn.NLLLoss()(tide.tensor{{-0.5, -1.5}}, tide.tensor{1}) --> 0.5
loss("nn.NLLLoss", "nll_loss")

--- Negative log-likelihood of Poisson-distributed counts.
---@use nn: log_input = true, full = false
---@param eps number = 1e-8  added to the rates before taking the logarithm
---@use nn: reduction = "mean"
---@formula l = exp(x) - target x; without log_input x - target log(x + eps)
---@example
--- nn.PoissonNLLLoss()(tide.tensor{0.0}, tide.tensor{2.0}) --> 1.0
loss("nn.PoissonNLLLoss", "poisson_nll_loss")

--- Squared error near 0, absolute error beyond beta.
---@use nn: reduction = "mean"
---@param beta number = 1.0  differences below it are squared
---@formula l = d^2 / (2 beta) if d < beta, else d - beta / 2, d = |x - target|
---@see nn.HuberLoss
---@example
--- nn.SmoothL1Loss()(tide.tensor{1.0, 2}, tide.tensor{1.0, 4}) --> 0.75
loss("nn.SmoothL1Loss", "smooth_l1_loss")

--- log(1 + exp(-target * x)) for targets 1 and -1.
---@use nn: reduction = "mean"
---@formula l = log(1 + exp(-target x))
---@see F.soft_margin_loss
---@example
--- nn.SoftMarginLoss()(tide.tensor{0.0, 3}, tide.tensor{1.0, 1}) --> 0.3709
loss("nn.SoftMarginLoss", "soft_margin_loss")

--- Makes an anchor closer to a positive than to a negative example.
---@use nn: margin = 1.0
---@param p number = 2.0  exponent of the norm
---@param eps number = 1e-6  added to each difference
---@use nn: swap = false, reduction = "mean"
---@formula l = max(0, d(anchor, positive) - d(anchor, negative) + margin)
---@see nn.TripletMarginWithDistanceLoss
---@example
--- nn.TripletMarginLoss()(tide.tensor{{0.0}}, tide.tensor{{3.0}}, tide.tensor{{1.0}}) --> 3.0
loss("nn.TripletMarginLoss", "triplet_margin_loss")

--- Makes an anchor closer to a positive than to a negative example, by any distance.
---@use nn: distance_function = nil, margin = 1.0, swap = false, reduction = "mean"
---@formula l = max(0, d(anchor, positive) - d(anchor, negative) + margin)
---@see nn.TripletMarginLoss F.triplet_margin_loss
---@example
--- nn.TripletMarginWithDistanceLoss()(tide.tensor{{0.0}}, tide.tensor{{3.0}}, tide.tensor{{1.0}}) --> 3.0
loss("nn.TripletMarginWithDistanceLoss", "triplet_margin_with_distance_loss")

return losses
