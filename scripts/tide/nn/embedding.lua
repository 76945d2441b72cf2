-- nn.Embedding: a table of vectors, looked up by index from 1.
local define = require "tide.internal.declare.define"
local reader = require "tide.internal.declare.reader"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- A table of vectors, looked up by index from 1.
---@use nn: num_embeddings, embedding_dim
---@param padding_idx integer = nil  index, from 1, whose vector starts at 0 and gets no gradient
---@use nn: max_norm = nil, norm_type = 2.0, scale_grad_by_freq = false, device = nil, dtype = nil
---@formula y = weight[x]
---@shapes x (...) of indices -> (..., embedding_dim)
---@counts x and padding_idx, from 1 to num_embeddings
---@errors an index out of range: raised when a result is read, with the line of the lookup
---@see nn.EmbeddingBag F.embedding F.one_hot
---@example
--- nn.Embedding(10, 4)(tide.tensor{1, 10}).shape --> {2, 4}
local Embedding, read = define("nn.Embedding", Module)

--- Checks an index from 1, or from the end if negative; returns it counted from 1.
local function checked_padding(position, count)
  if position == nil then return nil end
  local index = position < 0 and count + position + 1 or position
  if index < 1 or index > count then
    raise("Embedding: padding_idx %d is out of range: num_embeddings is %d", position, count)
  end
  return index
end

function Embedding:init(...)
  local given = read(...)
  self:place(given.device, given.dtype)
  self.num_embeddings, self.embedding_dim = given.num_embeddings, given.embedding_dim
  self.padding_idx = checked_padding(given.padding_idx, given.num_embeddings)
  self.max_norm, self.norm_type = given.max_norm, given.norm_type
  self.scale_grad_by_freq = given.scale_grad_by_freq
  self:parameter("weight", {given.num_embeddings, given.embedding_dim}, function(weight)
    init.normal_(weight)
    if self.padding_idx then
      tide.no_grad(function() weight[self.padding_idx]:zero_() end)
    end
  end)
end

function Embedding:forward(positions)
  return F.embedding(positions, self.weight, {
    padding_idx = self.padding_idx, max_norm = self.max_norm, norm_type = self.norm_type,
    scale_grad_by_freq = self.scale_grad_by_freq,
  })
end

function Embedding:describe()
  return ("%d x %d"):format(self.num_embeddings, self.embedding_dim)
end

--- An Embedding with this matrix as its weight, not trained unless freeze is false.
---@param embeddings tensor  matrix with a row for each index
---@param freeze boolean = true  do not train the weight
---@param padding_idx integer = nil  index, from 1, whose vector gets no gradient
---@use nn: max_norm = nil, norm_type = 2.0, scale_grad_by_freq = false
---@see nn.Embedding
---@example
--- nn.Embedding.from_pretrained(tide.eye(3))(tide.tensor{2}) --> {{0.0, 1.0, 0.0}}
local read_pretrained = reader "nn.Embedding.from_pretrained"

function Embedding.from_pretrained(...)
  local given = read_pretrained(...)
  local matrix = given.embeddings
  if matrix:dim() ~= 2 then
    raise("Embedding.from_pretrained: expected a matrix, got %d dimensions", matrix:dim())
  end
  local layer = Embedding(1, matrix:size(2), {device = matrix.device, dtype = matrix.dtype})
  layer.num_embeddings = matrix:size(1)
  layer.padding_idx = checked_padding(given.padding_idx, matrix:size(1))
  layer.max_norm, layer.norm_type = given.max_norm, given.norm_type
  layer.scale_grad_by_freq = given.scale_grad_by_freq
  layer:register_parameter("weight", matrix:detach():requires_grad_(not given.freeze))
  return layer
end

return Embedding
