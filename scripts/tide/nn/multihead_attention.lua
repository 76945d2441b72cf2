-- nn.MultiheadAttention: several attentions side by side, each over a share of the features.
local arguments = require "tide.arguments"
local class = require "tide.class"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Linear = require "tide.nn.linear"
local Module = require "tide.nn.module"
local raise = require "tide.raise"
local tide = require "tide"

local MultiheadAttention = class("MultiheadAttention", Module)
MultiheadAttention:optional("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight",
  "in_proj_bias", "bias_k", "bias_v")

local read = arguments("MultiheadAttention", {
  "embed_dim", "num_heads", {"dropout", 0.0}, {"bias", true}, {"add_bias_kv", false},
  {"add_zero_attn", false}, {"kdim"}, {"vdim"}, {"batch_first", false}, {"device"}, {"dtype"},
}, {embed_dim = "count", num_heads = "count", kdim = "count", vdim = "count"})

function MultiheadAttention:init(...)
  local given = read(...)
  self:place(given)
  local size, heads = given.embed_dim, given.num_heads
  if size % heads ~= 0 then
    raise("MultiheadAttention: embed_dim %d does not divide into %d heads", size, heads)
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

--- Queries, keys and values (n, length, embed_dim).
function MultiheadAttention:project(query, key, value)
  local size, weight, bias = self.embed_dim, self.in_proj_weight, self.in_proj_bias
  if weight and rawequal(query, key) and rawequal(key, value) then
    return table.unpack(F.linear(query, weight, bias):chunk(3, -1))
  end
  local weights = weight and weight:chunk(3, 1)
    or {self.q_proj_weight, self.k_proj_weight, self.v_proj_weight}
  local biases = bias and bias:split(size) or {}
  return F.linear(query, weights[1], biases[1]), F.linear(key, weights[2], biases[2]),
    F.linear(value, weights[3], biases[3])
end

--- (n, length, size) -> (n, heads, length, size / heads)
function MultiheadAttention:to_heads(x)
  return x:unflatten(-1, {self.num_heads, self.head_dim}):transpose(2, 3)
end

--- A mask as numbers to be added to the scores: -inf where a bool mask is true.
local function as_addend(mask, like)
  if mask.dtype ~= "bool" then return mask end
  return tide.zeros(mask.shape, {dtype = like.dtype, device = like.device}):masked_fill(mask,
    -math.huge)
end

--- Both masks as one that broadcasts to (n, heads, queries, keys), or nil.
function MultiheadAttention:join_masks(attn_mask, padding, like)
  local mask
  if attn_mask then
    mask = as_addend(attn_mask, like)
    -- (n * heads, queries, keys), or (queries, keys) for all
    if mask:dim() == 3 then mask = mask:unflatten(1, {-1, self.num_heads}) end
  end
  if padding then
    local addend = as_addend(padding, like):unsqueeze(2):unsqueeze(2)
    mask = mask and mask + addend or addend
  end
  return mask
end

--- Places that every query may look at beside the keys: learned ones, and zeros. Masks grow by
--- none.
function MultiheadAttention:extend(k, v, attn_mask, padding)
  local added = 0
  local batch, size = k:size(1), self.embed_dim
  if self.bias_k then
    k = tide.cat({k, self.bias_k:expand(batch, 1, size)}, 2)
    v = tide.cat({v, self.bias_v:expand(batch, 1, size)}, 2)
    added = added + 1
  end
  if self.add_zero_attn then
    k = tide.cat({k, k:new_zeros({batch, 1, size})}, 2)
    v = tide.cat({v, v:new_zeros({batch, 1, size})}, 2)
    added = added + 1
  end
  if added > 0 then
    attn_mask = attn_mask and F.pad(attn_mask, {0, added})
    padding = padding and F.pad(padding, {0, added})
  end
  return k, v, attn_mask, padding
end

local read_call = arguments("MultiheadAttention", {
  "self", "query", "key", "value", {"key_padding_mask"}, {"need_weights", true}, {"attn_mask"},
  {"average_attn_weights", true}, {"is_causal", false},
})

--- `output, weights = attention(query, key, value, options)`, all (length, n, features), with
--- batch_first (n, length, features), or (length, features). Options: key_padding_mask (n, keys)
--- and attn_mask (queries, keys) or (n * heads, queries, keys), bool with true for what must not be
--- seen, or floating to be added; need_weights (without them it is faster, and weights is nil);
--- average_attn_weights; is_causal, which says that attn_mask is the causal one.
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
  local same = rawequal(query, key) and rawequal(key, value)
  local first = arrange(query)
  local q, k, v = self:project(first, same and first or arrange(key),
    same and first or (rawequal(key, value) and arrange(key) or arrange(value)))
  if given.is_causal and not given.attn_mask then
    raise("MultiheadAttention: is_causal needs the attn_mask that it speaks of")
  end
  local attn_mask
  k, v, attn_mask, padding = self:extend(k, v, given.attn_mask, padding)
  local mask = self:join_masks(attn_mask, padding, q)
  q, k, v = self:to_heads(q), self:to_heads(k), self:to_heads(v)
  local share = self.training and self.dropout or 0.0
  local output, weights
  if given.need_weights then
    local scores = (q / math.sqrt(self.head_dim)):matmul(k:transpose(-2, -1))
    weights = F.softmax(mask and scores + mask or scores, -1)
    if share > 0 then weights = F.dropout(weights, share) end
    output = weights:matmul(v)
    if given.average_attn_weights then weights = weights:mean(2) end
    if unbatched then weights = weights:squeeze(1) end
  else
    output = F.scaled_dot_product_attention(q, k, v, mask, share)
  end
  output = self.out_proj(output:transpose(2, 3):flatten(3))
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
