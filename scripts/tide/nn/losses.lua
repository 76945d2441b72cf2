-- Losses as modules: each calls a function of tide.nn.functional with the module's options.
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"
local options_by_defaults = require "tide.nn.internal.options_by_defaults"
local tide = require "tide"

local losses = {}

local reduction = {"reduction", "mean"}

--- Makes the class `name` of F[fn](inputs..., {options}): `parameters` as tide.arguments has them.
--- Tensors among the options (weights of classes) move with the module.
local function loss(name, fn, parameters)
  local Loss = class(name, Module)
  local names, read = options_by_defaults(name, parameters)
  Loss:optional(table.unpack(names))

  function Loss:init(...)
    for key, value in pairs(read(...)) do
      if tide.is_tensor(value) then self:register_buffer(key, value) else self[key] = value end
    end
  end

  function Loss:forward(...)
    local options = {}
    for _, key in ipairs(names) do options[key] = self[key] end
    local inputs = table.pack(...)
    inputs[inputs.n + 1] = options
    return F[fn](table.unpack(inputs, 1, inputs.n + 1))
  end

  function Loss:describe() return self.reduction == "mean" and "" or tostring(self.reduction) end

  losses[name] = Loss
end

loss("BCELoss", "binary_cross_entropy", {{"weight"}, reduction})
loss("BCEWithLogitsLoss", "binary_cross_entropy_with_logits",
  {{"weight"}, reduction, {"pos_weight"}})
loss("CosineEmbeddingLoss", "cosine_embedding_loss", {{"margin", 0.0}, reduction})
loss("CTCLoss", "ctc_loss", {{"blank", 1}, reduction, {"zero_infinity", false}})
loss("CrossEntropyLoss", "cross_entropy",
  {{"weight"}, {"ignore_index", -100}, reduction, {"label_smoothing", 0.0}})
loss("GaussianNLLLoss", "gaussian_nll_loss", {{"full", false}, {"eps", 1e-6}, reduction})
loss("HingeEmbeddingLoss", "hinge_embedding_loss", {{"margin", 1.0}, reduction})
loss("HuberLoss", "huber_loss", {reduction, {"delta", 1.0}})
loss("KLDivLoss", "kl_div", {reduction, {"log_target", false}})
loss("L1Loss", "l1_loss", {reduction})
loss("MSELoss", "mse_loss", {reduction})
loss("MarginRankingLoss", "margin_ranking_loss", {{"margin", 0.0}, reduction})
loss("MultiLabelMarginLoss", "multilabel_margin_loss", {reduction})
loss("MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss", {{"weight"}, reduction})
loss("MultiMarginLoss", "multi_margin_loss", {{"p", 1}, {"margin", 1.0}, {"weight"}, reduction})
loss("NLLLoss", "nll_loss", {{"weight"}, {"ignore_index", -100}, reduction})
loss("PoissonNLLLoss", "poisson_nll_loss",
  {{"log_input", true}, {"full", false}, {"eps", 1e-8}, reduction})
loss("SmoothL1Loss", "smooth_l1_loss", {reduction, {"beta", 1.0}})
loss("SoftMarginLoss", "soft_margin_loss", {reduction})
loss("TripletMarginLoss", "triplet_margin_loss",
  {{"margin", 1.0}, {"p", 2.0}, {"eps", 1e-6}, {"swap", false}, reduction})
loss("TripletMarginWithDistanceLoss", "triplet_margin_with_distance_loss",
  {{"distance_function"}, {"margin", 1.0}, {"swap", false}, reduction})

return losses
