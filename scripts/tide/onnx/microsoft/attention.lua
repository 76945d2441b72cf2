-- Attention as ONNX Runtime fuses it: packed projections, masks of several forms, caches; rotary embeddings.
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local standard = require "tide.onnx.ops.attention"
local tide = require "tide"

local ops = {}

ops.attributes = {
  Attention = "do_rotary=0 mask_filter_value num_heads past_present_share_buffer=0 qkv_hidden_sizes "
    .. "rotary_embedding_dim=0 scale unidirectional",
  MultiHeadAttention = "mask_filter_value num_heads scale unidirectional",
  RotaryEmbedding = "interleaved is_packed_batching=0 num_heads rotary_embedding_dim scale=1",
}

--- (n, length, heads * size) as (n, heads, length, size).
local function to_heads(x, heads)
  if not heads or heads < 1 or x:size(-1) % heads ~= 0 then
    raise("%s heads do not divide (%s)", tostring(heads), table.concat(x.shape, ", "))
  end
  return x:unflatten(-1, {heads, x:size(-1) // heads}):transpose(2, 3)
end

local function from_heads(x) return x:transpose(2, 3):flatten(3) end

--- Where a mask of 1 and 0 excludes keys: (n or 1, 1, rows or 1, keys). A one-dimensional mask has the number of keys
--- of each row, followed, if it is twice as long, by the first key of each.
local function forbidden(mask, n, keys)
  local rank = mask:dim()
  if rank == 1 then
    local positions = tide.arange(keys, {device = mask.device}):unsqueeze(1)
    local count = mask:size(1)
    if count ~= n and count ~= 2 * n then raise("a mask of %d lengths for %d rows", count, n) end
    local off = positions:ge(mask:narrow(1, 1, n):unsqueeze(2))
    if count == 2 * n then off = off:logical_or(positions:lt(mask:narrow(1, n + 1, n):unsqueeze(2))) end
    return off:reshape(n, 1, 1, keys)
  end
  if rank == 2 then return mask:eq(0):reshape(mask:size(1), 1, 1, mask:size(2)) end
  if rank == 3 then return mask:eq(0):unsqueeze(2) end
  raise("a mask of the shape (%s) is not supported", table.concat(mask.shape, ", "))
end

--- The addend of the scores of q (n, heads, rows, size) and k: the bias, and a large negative value where keys are
--- masked or later; nil if there is none.
local function bias_of(node, q, k, mask, bias)
  local a, n, rows, keys = node.attributes, q:size(1), q:size(3), k:size(3)
  local total = bias
  if mask then
    local off = forbidden(mask, n, keys):to(q.dtype) * (a.mask_filter_value or -10000.0)
    total = total and total + off or off
  end
  if a.unidirectional == 1 then
    local options = {device = q.device}
    local later = tide.arange(keys, options):unsqueeze(1):gt(tide.arange(rows, options):unsqueeze(2) + keys - rows)
    local zeros = total or tide.zeros({rows, keys}, {dtype = q.dtype, device = q.device})
    total = zeros:masked_fill(later, tide.finfo(q.dtype).min)
  end
  return total
end

--- Softmax(q k' * scale + bias) v, (n, rows, heads * size).
local function attend(node, q, k, v, bias)
  local scale = node.attributes.scale
  if scale == 0 then scale = nil end
  return from_heads(F.scaled_dot_product_attention(q, k, v, {attn_mask = bias, scale = scale}))
end

--- Also returns all keys and values so far, (2, n, heads, length, size).
function ops.Attention(node, x, weight, bias, mask, past, attention_bias, past_length)
  local a = node.attributes
  if past_length then raise "past_sequence_length is not supported" end
  local heads, sizes = a.num_heads, a.qkv_hidden_sizes
  local third = weight:size(2) // 3
  local projected = x:matmul(weight)
  if bias then projected = projected + bias end
  local q, k, v = table.unpack(projected:split(sizes or {third, third, third}, 3))
  q, k, v = to_heads(q, heads), to_heads(k, heads), to_heads(v, heads)
  if past then k, v = tide.cat({past:select(1, 1), k}, 3), tide.cat({past:select(1, 2), v}, 3) end
  local y = attend(node, q, k, v, bias_of(node, q, k, mask, attention_bias))
  if #node.outputs < 2 then return y end
  return y, tide.stack({k, v})
end

--- Queries, keys and values may be packed in one tensor (n, length, heads, 3, size), or keys and values in one with 2;
--- those of another sequence may already be (n, heads, length, size). Also returns all keys and values so far.
function ops.MultiHeadAttention(node, query, key, value, bias, mask, attention_bias, past_key, past_value)
  local heads = node.attributes.num_heads
  local q, k, v = query, key, value
  if query:dim() == 5 then
    q, k, v = query:select(4, 1):flatten(3), query:select(4, 2):flatten(3), query:select(4, 3):flatten(3)
  elseif key:dim() == 5 then
    k, v = key:select(4, 1):flatten(3), key:select(4, 2):flatten(3)
  end
  local parts = {}
  if bias then
    local size = q:size(3)
    parts = bias:split({size, size, bias:size(1) - 2 * size}, 1)
  end
  local function ready(x, part)
    if x:dim() == 4 then return x end
    return to_heads(part and x + part or x, heads)
  end
  q, k, v = ready(q, parts[1]), ready(k, parts[2]), ready(v, parts[3])
  if past_key then k, v = tide.cat({past_key, k}, 3), tide.cat({past_value, v}, 3) end
  return attend(node, q, k, v, bias_of(node, q, k, mask, attention_bias)), k, v
end

--- Rotates pairs of features by angles; a single position is that of the first element of the sequence.
function ops.RotaryEmbedding(node, x, positions, cos, sin)
  local a = node.attributes
  local length, heads = x:size(-2), a.num_heads or 0
  if positions:numel() == 1 then
    positions = (positions:reshape(1, 1) + tide.arange(length, {device = positions.device})):expand(x:size(1), length)
  end
  if heads == 0 and x:dim() == 3 then heads = x:size(3) // (cos:size(2) * 2) end
  return standard.RotaryEmbedding({attributes = {
    interleaved = a.interleaved, num_heads = heads, rotary_embedding_dim = a.rotary_embedding_dim,
  }}, x, cos, sin, positions)
end

return ops
