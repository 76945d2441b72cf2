-- nn.EmbeddingBag: sums, means or maxima of bags of embeddings, without storing the embeddings.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"

--- Sums, means or maxima of bags of embeddings.
---@use nn: num_embeddings, embedding_dim
---@param mode "sum" | "mean" | "max" = "mean"  how the vectors of a bag are combined
---@param padding_idx integer = nil  index, from 1, that does not contribute to its bag
---@param include_last_offset boolean = false  offsets has one more element, which marks the end of the last bag
---@use nn: max_norm = nil, norm_type = 2.0, scale_grad_by_freq = false, device = nil, dtype = nil
---@shapes x (n, length) -> (n, embedding_dim); with offsets x (total) -> (bags, embedding_dim)
---@counts x, offsets and padding_idx
---@see nn.Embedding F.embedding_bag
---@example
--- nn.EmbeddingBag(10, 4)(tide.tensor{{1, 2}, {3, 10}}).shape --> {2, 4}
local EmbeddingBag, read = define("nn.EmbeddingBag", Module)

function EmbeddingBag:init(...)
  local given = read(...)
  self:place(given.device, given.dtype)
  self.num_embeddings, self.embedding_dim = given.num_embeddings, given.embedding_dim
  self.mode, self.padding_idx = given.mode, given.padding_idx
  self.include_last_offset = given.include_last_offset
  self.max_norm, self.norm_type = given.max_norm, given.norm_type
  self.scale_grad_by_freq = given.scale_grad_by_freq
  self:parameter("weight", {given.num_embeddings, given.embedding_dim}, init.normal_)
end

--- `positions` is (n, length), or one-dimensional with `offsets`, where each bag starts.
function EmbeddingBag:forward(positions, offsets, per_sample_weights)
  return F.embedding_bag(positions, self.weight, {
    offsets = offsets, mode = self.mode, per_sample_weights = per_sample_weights,
    padding_idx = self.padding_idx, include_last_offset = self.include_last_offset,
    max_norm = self.max_norm, norm_type = self.norm_type,
    scale_grad_by_freq = self.scale_grad_by_freq,
  })
end

function EmbeddingBag:describe()
  return ("%d x %d, %s"):format(self.num_embeddings, self.embedding_dim, self.mode)
end

return EmbeddingBag
