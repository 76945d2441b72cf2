-- nn.MultiheadAttention: several attention heads, each over a slice of the features.
local attend = require("tide.nn.functional.multi_head_attention").attend
local define = require "tide.internal.declare.define"
local reader = require "tide.internal.declare.reader"
local init = require "tide.nn.init"
local Linear = require "tide.nn.linear"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"

--- Multi-head attention: output, weights = attention(query, key, value).
---@param embed_dim integer >= 0  size of the last dimension of query and of the result; a multiple of num_heads
---@use nn: num_heads, dropout = 0.0, bias = true
---@param add_bias_kv boolean = false  append a trained vector to the keys and to the values
---@use nn: add_zero_attn = false
---@param kdim integer >= 0 = embed_dim  size of the last dimension of key
---@param vdim integer >= 0 = embed_dim  size of the last dimension of value
---@use nn: batch_first = false, device = nil, dtype = nil
---@call
---@use nn: query
---@param key tensor  keys to compare with the queries: (others, n, kdim)
---@param value tensor  values, averaged with the attention weights: (others, n, vdim)
---@use nn: key_padding_mask = nil, need_weights = true, attn_mask = nil, average_attn_weights = true, is_causal =
---  false
---@formula concat(softmax(q_i k_i' / sqrt(embed_dim / num_heads) + mask) v_i) W_o + b_o over the heads i
---@shapes query (length, n, embed_dim), key and value (others, n, ...) -> (length, n, embed_dim), weights (n, length,
---  others); with batch_first n comes first
---@errors embed_dim is not a multiple of num_heads
---@see F.scaled_dot_product_attention nn.TransformerEncoderLayer
---@example
--- local x = tide.ones(5, 1, 8); nn.MultiheadAttention(8, 2)(x, x, x).shape --> {5, 1, 8}
local MultiheadAttention, read = define("nn.MultiheadAttention", Module)
MultiheadAttention:optional("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight",
  "in_proj_bias", "bias_k", "bias_v")

function MultiheadAttention:init(...)
  local given = read(...)
  self:place(given.device, given.dtype)
  local size, heads = given.embed_dim, given.num_heads
  if heads == 0 or size % heads ~= 0 then
    raise("MultiheadAttention: embed_dim %d is not divisible by num_heads %d", size, heads)
  end
  self.embed_dim, self.num_heads, self.head_dim = size, heads, size // heads
  self.dropout, self.batch_first = given.dropout, given.batch_first
  self.add_zero_attn = given.add_zero_attn
  self.kdim, self.vdim = given.kdim or size, given.vdim or size
  if self.kdim == size and self.vdim == size then
    self:parameter("in_proj_weight", {3 * size, size}, init.xavier_uniform_)
  else
    self:parameter("q_proj_weight", {size, size}, init.xavier_uniform_)
    self:parameter("k_proj_weight", {size, self.kdim}, init.xavier_uniform_)
    self:parameter("v_proj_weight", {size, self.vdim}, init.xavier_uniform_)
  end
  if given.bias then self:parameter("in_proj_bias", {3 * size}, init.zeros_) end
  self.out_proj = Linear(size, size, {bias = given.bias, device = given.device,
    dtype = given.dtype})
  if given.bias then init.zeros_(self.out_proj.bias) end
  if given.add_bias_kv then
    self:parameter("bias_k", {1, 1, size}, init.xavier_normal_)
    self:parameter("bias_v", {1, 1, size}, init.xavier_normal_)
  end
end

local read_call = reader "nn.MultiheadAttention:forward"

--- Inputs are (length, n, features), (n, length, features) with batch_first, or (length, features).
--- key_padding_mask (n, keys) and attn_mask (queries, keys) or (n * heads, queries, keys) are bool, true to mask,
--- or floating, added to the scores. Without need_weights it is faster, and weights is nil. is_causal is a hint
--- that attn_mask is the causal mask.
function MultiheadAttention:forward(...)
  local given = read_call(self, ...)
  local query, key, value = given.query, given.key, given.value
  local unbatched = query:dim() == 2
  local function arrange(x)
    if unbatched then return x:unsqueeze(1) end
    return self.batch_first and x or x:transpose(1, 2)
  end
  local padding = given.key_padding_mask
  if unbatched and padding then padding = padding:unsqueeze(1) end
  if given.is_causal and not given.attn_mask then
    raise("MultiheadAttention: is_causal requires attn_mask, the causal mask")
  end
  local first = arrange(query)
  local second = rawequal(key, query) and first or arrange(key)
  local output, weights = attend {
    query = first, key = second, value = rawequal(value, key) and second or arrange(value),
    num_heads = self.num_heads, in_proj_weight = self.in_proj_weight,
    in_proj_bias = self.in_proj_bias, q_proj_weight = self.q_proj_weight,
    k_proj_weight = self.k_proj_weight, v_proj_weight = self.v_proj_weight,
    bias_k = self.bias_k, bias_v = self.bias_v, add_zero_attn = self.add_zero_attn,
    dropout_p = self.training and self.dropout or 0.0, key_padding_mask = padding,
    need_weights = given.need_weights, attn_mask = given.attn_mask,
    average_attn_weights = given.average_attn_weights,
  }
  if unbatched and weights then weights = weights:squeeze(1) end
  output = self.out_proj(output)
  if unbatched then
    output = output:squeeze(1)
  elseif not self.batch_first then
    output = output:transpose(1, 2)
  end
  return output, weights
end

function MultiheadAttention:describe()
  return ("%d in %d heads"):format(self.embed_dim, self.num_heads)
end

return MultiheadAttention
