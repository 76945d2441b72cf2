-- Layer norms of sums and of embeddings.
local F = require "tide.nn.functional"
local standard = require "tide.onnx.ops.normalizations"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {}

ops.attributes = { -- stash_type and mask_index_type have no effect
  EmbedLayerNormalization = "epsilon mask_index_type",
  SimplifiedLayerNormalization = "axis epsilon stash_type",
  SkipLayerNormalization = "epsilon",
  SkipSimplifiedLayerNormalization = "epsilon",
}

ops.SimplifiedLayerNormalization = standard.SimplifiedLayerNormalization

local kEpsilon <const> = 1e-12

--- A layer norm along the last dimension, its means, and its inverse standard deviations.
local function layer_norm(x, gamma, beta, eps)
  local centered = x - x:mean(-1, true)
  return F.layer_norm(x, {x:size(-1)}, {weight = gamma, bias = beta, eps = eps}), x:mean(-1, true),
    ((centered * centered):mean(-1, true) + eps):rsqrt()
end

--- Also returns means, inverse standard deviations, and the sum.
function ops.SkipLayerNormalization(node, x, skip, gamma, beta, bias)
  local sum = x + skip
  if bias then sum = sum + bias end
  local y, mean, inverse = layer_norm(sum, gamma, beta, node.attributes.epsilon or kEpsilon)
  return y, mean, inverse, sum
end

function ops.SkipSimplifiedLayerNormalization(node, x, skip, gamma, bias)
  local sum, eps = x + skip, node.attributes.epsilon or kEpsilon
  if bias then sum = sum + bias end
  local inverse = ((sum * sum):mean(-1, true) + eps):rsqrt()
  return sum * inverse * gamma, nil, inverse, sum
end

--- The normalized sum of the embeddings of words, positions and segments; the number of unmasked words in each row; and
--- the sum before normalization.
function ops.EmbedLayerNormalization(node, words, segments, word_table, position_table, segment_table, gamma, beta,
    mask, positions)
  local function rows(source, indices) return source[values.positions(indices, source:size(1))] end
  local sum = rows(word_table, words)
  local position_rows = positions and rows(position_table, positions) or position_table:narrow(1, 1, words:size(2))
  sum = sum + position_rows
  if segments then sum = sum + rows(segment_table, segments) end
  local counts = mask and mask:sum(2):to("int32")
    or tide.zeros({words:size(1)}, {dtype = "int32", device = words.device})
  return layer_norm(sum, gamma, beta, node.attributes.epsilon or kEpsilon), counts, sum
end

return ops
