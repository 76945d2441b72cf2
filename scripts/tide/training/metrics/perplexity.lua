-- metrics.Perplexity: the perplexity of a language model.
local define = require "tide.internal.declare.define"
local checks = require "tide.training.metrics.checks"
local Metric = require "tide.training.metrics.metric"
local tide = require "tide"

--- exp of the mean cross entropy of words, from logits.
---@use metrics: ignore_index = -100
---@formula exp(mean cross entropy)
---@see nn.CrossEntropyLoss
---@example
--- tide.metrics.Perplexity()(tide.zeros(2, 3, 4), tide.ones({2, 3}, {dtype = "int64"})) --> 4.0
local Perplexity, read = define("metrics.Perplexity", Metric)

--- update takes logits (..., words) and target words (...).
function Perplexity:init(...) self.ignore_index = read(...).ignore_index end

function Perplexity:measure(predictions, targets)
  checks.tensors("Perplexity", predictions, targets)
  checks.without_classes("Perplexity", predictions, targets, math.max(predictions:dim(), 1))
  checks.classes("Perplexity", "targets", targets)
  local words = targets:reshape(-1):to("int64")
  local scores = predictions:reshape(#words, predictions:size(-1))
  if scores.dtype ~= "float64" then scores = scores:to("float32") end
  local losses = tide.nn.functional.cross_entropy(scores, words,
    {ignore_index = self.ignore_index, reduction = "none"})
  return {sum = losses:sum({dtype = "float64"}), count = words:ne(self.ignore_index):sum()}
end

function Perplexity:value(state) return (state.sum / state.count:to("float64")):exp() end

return Perplexity
