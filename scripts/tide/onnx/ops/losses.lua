-- Classification losses.
local F = require "tide.nn.functional"

local ops = {}

ops.attributes = {
  NegativeLogLikelihoodLoss = "ignore_index reduction",
  SoftmaxCrossEntropyLoss = "ignore_index reduction",
}

local kNoClass <const> = -100

--- The loss of log probabilities; labels count from 0.
local function negative_log_likelihood(node, log_probabilities, labels, weight)
  local ignored = node.attributes.ignore_index
  local targets = labels:to("int64") + 1
  if ignored then targets = targets:masked_fill(labels:eq(ignored), kNoClass) end
  return F.nll_loss(log_probabilities, targets, {
    weight = weight, ignore_index = kNoClass, reduction = node.attributes.reduction or "mean",
  })
end

ops.NegativeLogLikelihoodLoss = negative_log_likelihood

function ops.SoftmaxCrossEntropyLoss(node, scores, labels, weight)
  local log_probabilities = scores:log_softmax(2)
  return negative_log_likelihood(node, log_probabilities, labels, weight), log_probabilities
end

return ops
