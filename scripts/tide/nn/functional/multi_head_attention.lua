-- tide.nn.functional.multi_head_attention_forward, and the attention code shared with nn.MultiheadAttention.
local F = require "tide.nn.functional"
local reader = require "tide.internal.declare.reader"
local raise = require "tide.internal.raise"
local tide = require "tide"

local multi_head_attention = {}

--- Projects queries, keys and values (n, length, embed_dim), by one joint weight or by three.
local function project(given)
  local query, key, value = given.query, given.key, given.value
  local weight, bias = given.in_proj_weight, given.in_proj_bias
  if weight and rawequal(query, key) and rawequal(key, value) then
    return table.unpack(F.linear(query, weight, bias):chunk(3, -1))
  end
  local weights = weight and weight:chunk(3, 1)
    or {given.q_proj_weight, given.k_proj_weight, given.v_proj_weight}
  local biases = bias and bias:chunk(3) or {}
  return F.linear(query, weights[1], biases[1]), F.linear(key, weights[2], biases[2]),
    F.linear(value, weights[3], biases[3])
end

--- A mask to add to the scores: -inf where a bool mask is true.
local function as_addend(mask, like)
  if mask.dtype ~= "bool" then return mask end
  return tide.zeros(mask.shape, {dtype = like.dtype, device = like.device}):masked_fill(mask,
    -math.huge)
end

--- Both masks as one that broadcasts to (n, heads, queries, keys), or nil.
local function join_masks(attn_mask, padding, heads, like)
  local mask
  if attn_mask then
    mask = as_addend(attn_mask, like)
    -- (n * heads, queries, keys), or (queries, keys) for all
    if mask:dim() == 3 then mask = mask:unflatten(1, {-1, heads}) end
  end
  if padding then
    local addend = as_addend(padding, like):unsqueeze(2):unsqueeze(2)
    mask = mask and mask + addend or addend
  end
  return mask
end

--- Appends one position in the second dimension of x: a learned vector, or zeros.
local function append_position(x, vector)
  local batch, size = x:size(1), x:size(3)
  return tide.cat({x, vector and vector:expand(batch, 1, size) or x:new_zeros({batch, 1, size})}, 2)
end

--- (n, length, size) -> (n, heads, length, size / heads)
local function to_heads(x, heads)
  return x:unflatten(-1, {heads, x:size(-1) // heads}):transpose(2, 3)
end

--- The softmax of masked scores. A query whose keys are all masked has weights 0, as in
--- F.scaled_dot_product_attention.
local function weights_of(scores, mask)
  if not mask then return F.softmax(scores, -1) end
  local closed = mask:eq(-math.huge):all(-1, true)
  return F.softmax(scores + mask:masked_fill(closed, 0), -1):masked_fill(closed, 0)
end

--- Returns the result of all heads, (n, queries, size), before the output projection, and with need_weights the
--- attention weights. `given` has the arguments of F.multi_head_attention_forward by name; query, key and value are
--- (n, length, features), key_padding_mask is (n, keys), and dropout_p is 0 outside of training.
function multi_head_attention.attend(given)
  local heads, attn_mask, padding = given.num_heads, given.attn_mask, given.key_padding_mask
  local q, k, v = project(given)
  local added = 0 -- number of appended keys, which are never masked
  if given.bias_k then
    k, v, added = append_position(k, given.bias_k), append_position(v, given.bias_v), 1
  end
  if given.add_zero_attn then
    k, v, added = append_position(k), append_position(v), added + 1
  end
  if added > 0 then
    attn_mask = attn_mask and F.pad(attn_mask, {0, added})
    padding = padding and F.pad(padding, {0, added})
  end
  local mask = join_masks(attn_mask, padding, heads, q)
  q, k, v = to_heads(q, heads), to_heads(k, heads), to_heads(v, heads)
  if given.static_k then k = given.static_k:unflatten(1, {-1, heads}) end
  if given.static_v then v = given.static_v:unflatten(1, {-1, heads}) end
  local dropout_p, output, weights = given.dropout_p, nil, nil
  if given.need_weights then
    weights = weights_of((q / math.sqrt(q:size(-1))):matmul(k:transpose(-2, -1)), mask)
    if dropout_p > 0 then weights = F.dropout(weights, dropout_p) end
    output = weights:matmul(v)
    if given.average_attn_weights then weights = weights:mean(2) end
  else
    output = F.scaled_dot_product_attention(q, k, v, mask, dropout_p)
  end
  return output:transpose(2, 3):flatten(3), weights
end

--- Multi-head attention over (length, n, features), with the caller's weights.
---@use nn: query
---@param key tensor  keys to compare with the queries: (others, n, embed_dim)
---@param value tensor  values, averaged with the attention weights: (others, n, embed_dim)
---@param embed_dim_to_check integer >= 0  size of the last dimension of query
---@use nn: num_heads
---@param in_proj_weight tensor = nil  input projections of query, key and value, concatenated
---@param in_proj_bias tensor = nil  biases of the input projections
---@param bias_k tensor = nil  vector to append to the keys
---@param bias_v tensor = nil  vector to append to the values
---@use nn: add_zero_attn = false
---@param dropout_p number = 0.0  probability that an attention weight becomes 0
---@param out_proj_weight tensor = nil  output projection
---@param out_proj_bias tensor = nil  bias of the output projection
---@param training boolean = true  apply dropout
---@use nn: key_padding_mask = nil, need_weights = true, attn_mask = nil
---@param use_separate_proj_weight boolean = false  use q_proj_weight, k_proj_weight and v_proj_weight
---@param q_proj_weight tensor = nil  input projection of query
---@param k_proj_weight tensor = nil  input projection of key
---@param v_proj_weight tensor = nil  input projection of value
---@param static_k tensor = nil  keys to use instead of the computed ones
---@param static_v tensor = nil  values to use instead of the computed ones
---@use nn: average_attn_weights = true
---@param is_causal boolean = false  hint that attn_mask is the causal mask
---@formula concat(softmax(q_i k_i' / sqrt(embed_dim / num_heads) + mask) v_i) W_o + b_o over the heads i
---@shapes query (length, n, embed_dim), key and value (others, n, ...) -> (length, n, embed_dim), weights (n, length,
---  others); with batch_first n comes first
---@errors embed_dim is not a multiple of num_heads
---@see F.scaled_dot_product_attention nn.TransformerEncoderLayer
---@example
--- local x = tide.ones(3, 1, 4)
--- local y = F.multi_head_attention_forward(x, x, x, 4, 2, tide.ones(12, 4), nil, nil, nil, false, 0.0, tide.eye(4))
--- y[1][1] --> {4.0, 4.0, 4.0, 4.0}
local read = reader "nn.functional.multi_head_attention_forward"

--- Inputs are (length, n, size) or (length, size). Returns the output and the weights (nil unless need_weights).
function multi_head_attention.multi_head_attention_forward(...)
  local given = read(...)
  local size, heads = given.embed_dim_to_check, given.num_heads
  local unbatched = given.query:dim() == 2
  if given.query:size(-1) ~= size then
    raise("multi_head_attention_forward: expected %d features, got %d", size,
      given.query:size(-1))
  end
  if heads == 0 or size % heads ~= 0 then
    raise("multi_head_attention_forward: %d features do not divide into %d heads", size, heads)
  end
  if not given.out_proj_weight then
    raise("multi_head_attention_forward: out_proj_weight is missing")
  end
  if given.use_separate_proj_weight then
    given.in_proj_weight = nil
  elseif not given.in_proj_weight then
    raise("multi_head_attention_forward: in_proj_weight is missing")
  end
  if given.is_causal and not given.attn_mask then
    raise("multi_head_attention_forward: is_causal requires attn_mask, the causal mask")
  end
  local function arrange(x) return unbatched and x:unsqueeze(1) or x:transpose(1, 2) end
  local query, key, value = given.query, given.key, given.value
  given.query = arrange(query)
  given.key = rawequal(key, query) and given.query or arrange(key)
  given.value = rawequal(value, key) and given.key or arrange(value)
  if unbatched and given.key_padding_mask then
    given.key_padding_mask = given.key_padding_mask:unsqueeze(1)
  end
  if not given.training then given.dropout_p = 0.0 end
  local output, weights = multi_head_attention.attend(given)
  output = F.linear(output, given.out_proj_weight, given.out_proj_bias)
  if unbatched then return output:squeeze(1), weights and weights:squeeze(1) end
  return output:transpose(1, 2), weights
end

return multi_head_attention
