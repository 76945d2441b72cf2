-- Multi-head attention, softmax(q k' * scale + mask) v, and rotary embeddings.
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {}

ops.attributes = {
  Attention = "is_causal kv_num_heads q_num_heads qk_matmul_output_mode scale softcap softmax_precision",
  RotaryEmbedding = "interleaved num_heads rotary_embedding_dim",
}

--- (n, length, heads * size) as (n, heads, length, size).
local function to_heads(x, heads, what)
  if x:dim() == 4 then return x end
  if not heads or heads < 1 or x:size(-1) % heads ~= 0 then
    raise("%s: %s heads do not divide (%s)", what, tostring(heads), table.concat(x.shape, ", "))
  end
  return x:unflatten(-1, {heads, x:size(-1) // heads}):transpose(2, 3)
end

--- Repeats each head of keys or values for the query heads that share it.
local function for_all_heads(x, heads)
  if x:size(2) == heads then return x end
  if heads % x:size(2) ~= 0 then raise("%d heads cannot share %d", heads, x:size(2)) end
  return x:repeat_interleave(heads // x:size(2), 2)
end

--- The mask as an addend of the scores; nil if there is none.
local function addend(mask, dtype)
  if not mask or mask.dtype ~= "bool" then return mask end
  return tide.zeros(mask.shape, {dtype = dtype, device = mask.device}):masked_fill(mask:logical_not(), -math.huge)
end

--- A mask for fewer keys than exist excludes the others.
local function for_all_keys(mask, keys)
  local missing = mask and keys - mask:size(-1) or 0
  return missing > 0 and F.pad(addend(mask, "float32"), {0, missing}, "constant", -math.huge) or mask
end

--- Softmax over keys; a query without any allowed key has weights of 0.
local function weights_of(scores, bias, precision)
  local weights = F.softmax(precision and scores:to(precision) or scores, -1):to(scores.dtype)
  if not bias then return weights end
  return weights:masked_fill(bias:amax(-1, true):eq(-math.huge), 0)
end

--- Also returns all keys and values so far, and the scores at one of four stages.
function ops.Attention(node, query, key, value, mask, past_key, past_value)
  local a, flat = node.attributes, query:dim() == 3
  if (past_key == nil) ~= (past_value == nil) then raise "past_key and past_value must be given together" end
  local q = to_heads(query, a.q_num_heads, "query")
  local k = to_heads(key, a.kv_num_heads or a.q_num_heads, "key")
  local v = to_heads(value, a.kv_num_heads or a.q_num_heads, "value")
  local past = past_key and past_key:size(3) or 0
  if past_key then k, v = tide.cat({past_key, k}, 3), tide.cat({past_value, v}, 3) end
  local heads, rows, keys = q:size(2), q:size(3), k:size(3)
  local root = math.sqrt(a.scale or 1 / math.sqrt(q:size(4)))
  local products = (q * root):matmul((for_all_heads(k, heads) * root):transpose(-2, -1))
  local total = addend(for_all_keys(mask, keys), q.dtype)
  if a.is_causal == 1 then
    local may = tide.ones({rows, keys}, {device = q.device}):tril(past):to("bool")
    local causal = addend(may, q.dtype)
    total = total and total + causal or causal
  end
  local capped = products
  if a.softcap and a.softcap ~= 0 then capped = (capped / a.softcap):tanh() * a.softcap end
  local scores = total and capped + total:to(q.dtype) or capped
  local weights = weights_of(scores, total, a.softmax_precision and tensors.dtype_of(a.softmax_precision))
  local y = weights:matmul(for_all_heads(v, heads))
  if flat then y = y:transpose(2, 3):flatten(3) end
  local shown = ({[0] = products, capped, scores, weights})[a.qk_matmul_output_mode or 0]
  return y, k, v, shown
end

--- Rotates pairs of features by angles that grow with the position; `cos` and `sin` have all positions, or with
--- position_ids are lookup tables.
function ops.RotaryEmbedding(node, x, cos, sin, position_ids)
  local a, flat = node.attributes, x:dim() == 3
  local own = flat and to_heads(x, a.num_heads, "num_heads") or x
  local size = (a.rotary_embedding_dim or 0) > 0 and a.rotary_embedding_dim or own:size(-1)
  if position_ids then
    local rows = values.positions(position_ids, cos:size(1))
    cos, sin = cos[rows], sin[rows]
  end
  cos, sin = cos:unsqueeze(2), sin:unsqueeze(2) -- the same for all heads
  local turned, rest = own:narrow(-1, 1, size), own:size(-1) > size and own:narrow(-1, size + 1, own:size(-1) - size)
  local pairs_of, first, second = a.interleaved == 1, nil, nil
  if pairs_of then
    local split = turned:unflatten(-1, {size // 2, 2})
    first, second = split:select(-1, 1), split:select(-1, 2)
  else
    first, second = turned:narrow(-1, 1, size // 2), turned:narrow(-1, size // 2 + 1, size // 2)
  end
  local real, imaginary = cos * first - sin * second, sin * first + cos * second
  local y = pairs_of and tide.stack({real, imaginary}, -1):flatten(-2) or tide.cat({real, imaginary}, -1)
  if rest then y = tide.cat({y, rest}, -1) end
  return flat and y:transpose(2, 3):flatten(3) or y
end

return ops
