-- Transformer layers and stacks of them (Vaswani et al., "Attention is all you need", 2017).
local activation_named = require "tide.nn.internal.activation_named"
local class = require "tide.internal.class"
local define = require "tide.internal.declare.define"
local reader = require "tide.internal.declare.reader"
local dropouts = require "tide.nn.dropouts"
local init = require "tide.nn.init"
local is_callable = require "tide.internal.is_callable"
local kind_of = require "tide.internal.kind_of"
local Linear = require "tide.nn.linear"
local Module = require "tide.nn.module"
local ModuleList = require "tide.nn.module_list"
local MultiheadAttention = require "tide.nn.multihead_attention"
local norms = require "tide.nn.norms"
local raise = require "tide.internal.raise"
local tide = require "tide"

local transformer = {}

--- Options that a Transformer passes to its layers.
local layer_options <const> = {
  "dim_feedforward", "dropout", "activation", "layer_norm_eps", "batch_first", "norm_first", "bias", "device", "dtype",
}

--- The activation function of an option, which is a function or its name in tide.nn.functional.
local function activation_of(name, value)
  local fn = activation_named(value)
  if not is_callable(fn) then
    raise("%s: activation must be a function or the name of one in tide.nn.functional, got %s", name,
      tostring(value))
  end
  return fn
end

-- Base class of encoder and decoder layers: attention, followed by two linear layers.
local Layer = class("Layer", Module)

function Layer:setup(given)
  self:place(given.device, given.dtype)
  self.norm_first = given.norm_first
  self.activation = activation_of(getmetatable(self).name, given.activation)
end

function Layer:attention(given)
  return MultiheadAttention(given.d_model, given.nhead, {
    dropout = given.dropout, bias = given.bias, batch_first = given.batch_first,
    device = given.device, dtype = given.dtype,
  })
end

function Layer:linear(inputs, outputs, given)
  return Linear(inputs, outputs, {bias = given.bias, device = given.device, dtype = given.dtype})
end

function Layer:norm(given)
  return norms.LayerNorm(given.d_model, {
    eps = given.layer_norm_eps, bias = given.bias, device = given.device, dtype = given.dtype,
  })
end

function Layer:feed_forward(x)
  return self.linear2(self.dropout(self.activation(self.linear1(x))))
end

--- x + dropout(part(x)), normalized before `part` or after the sum.
function Layer:residual(x, norm, dropout, part)
  if self.norm_first then return x + dropout((part(norm(x)))) end
  return norm(x + dropout((part(x))))
end

--- Self-attention and a feed-forward network: y = layer(x, {src_mask, src_key_padding_mask}).
---@use nn: d_model, nhead, dim_feedforward = 2048, dropout = 0.1, activation = "relu", layer_norm_eps = 1e-5,
---  batch_first = false, norm_first = false, bias = true, device = nil, dtype = nil
---@call
---@use nn: src, src_mask = nil, src_key_padding_mask = nil, is_causal = false
---@shapes (length, n, d_model) -> the same; with batch_first n comes first
---@see nn.Transformer nn.TransformerEncoder nn.TransformerDecoder nn.MultiheadAttention
---@example
--- nn.TransformerEncoderLayer(8, 2)(tide.ones(5, 1, 8)).shape --> {5, 1, 8}
local TransformerEncoderLayer, read_encoder_layer = define("nn.TransformerEncoderLayer", Layer)
transformer.TransformerEncoderLayer = TransformerEncoderLayer

function TransformerEncoderLayer:init(...)
  local given = read_encoder_layer(...)
  self:setup(given)
  self.self_attn = self:attention(given)
  self.linear1 = self:linear(given.d_model, given.dim_feedforward, given)
  self.dropout = dropouts.Dropout(given.dropout)
  self.linear2 = self:linear(given.dim_feedforward, given.d_model, given)
  for i = 1, 2 do self["norm" .. i] = self:norm(given) end
  for i = 1, 2 do self["dropout" .. i] = dropouts.Dropout(given.dropout) end
end

local read_encode = reader "nn.TransformerEncoderLayer:forward"

--- Masks are those of MultiheadAttention.
function TransformerEncoderLayer:forward(...)
  local given = read_encode(self, ...)
  local options = {
    attn_mask = given.src_mask, key_padding_mask = given.src_key_padding_mask, need_weights = false,
    is_causal = given.is_causal and given.src_mask ~= nil,
  }
  local x = self:residual(given.src, self.norm1, self.dropout1, function(part)
    return self.self_attn(part, part, part, options)
  end)
  return self:residual(x, self.norm2, self.dropout2, function(part)
    return self:feed_forward(part)
  end)
end

--- Self-attention, attention over memory, and a feed-forward network: y = layer(tgt, memory).
---@use nn: d_model, nhead, dim_feedforward = 2048, dropout = 0.1, activation = "relu", layer_norm_eps = 1e-5,
---  batch_first = false, norm_first = false, bias = true, device = nil, dtype = nil
---@call
---@use nn: tgt, memory, tgt_mask = nil, memory_mask = nil, tgt_key_padding_mask = nil, memory_key_padding_mask = nil,
---  tgt_is_causal = false, memory_is_causal = false
---@shapes (length, n, d_model) -> the same; with batch_first n comes first
---@see nn.Transformer nn.TransformerEncoder nn.TransformerEncoderLayer nn.TransformerDecoder nn.MultiheadAttention
---@example
--- nn.TransformerDecoderLayer(8, 2)(tide.ones(5, 1, 8), tide.ones(6, 1, 8)).shape --> {5, 1, 8}
local TransformerDecoderLayer, read_decoder_layer = define("nn.TransformerDecoderLayer", Layer)
transformer.TransformerDecoderLayer = TransformerDecoderLayer

function TransformerDecoderLayer:init(...)
  local given = read_decoder_layer(...)
  self:setup(given)
  self.self_attn = self:attention(given)
  self.multihead_attn = self:attention(given)
  self.linear1 = self:linear(given.d_model, given.dim_feedforward, given)
  self.dropout = dropouts.Dropout(given.dropout)
  self.linear2 = self:linear(given.dim_feedforward, given.d_model, given)
  for i = 1, 3 do self["norm" .. i] = self:norm(given) end
  for i = 1, 3 do self["dropout" .. i] = dropouts.Dropout(given.dropout) end
end

local read_decode = reader "nn.TransformerDecoderLayer:forward"

--- layer(x, memory, {tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask})
function TransformerDecoderLayer:forward(...)
  local given = read_decode(self, ...)
  local memory = given.memory
  local own = {
    attn_mask = given.tgt_mask, key_padding_mask = given.tgt_key_padding_mask, need_weights = false,
  }
  local other = {
    attn_mask = given.memory_mask, key_padding_mask = given.memory_key_padding_mask,
    need_weights = false,
  }
  local x = self:residual(given.tgt, self.norm1, self.dropout1, function(part)
    return self.self_attn(part, part, part, own)
  end)
  x = self:residual(x, self.norm2, self.dropout2, function(part)
    return self.multihead_attn(part, memory, memory, other)
  end)
  return self:residual(x, self.norm3, self.dropout3, function(part)
    return self:feed_forward(part)
  end)
end

-- Stacks ------------------------------------------------------------------------------------------

--- Makes `count` independent copies of a layer, with the same initial parameters.
local function repeat_layer(layer, count, norm)
  if not class.is_a(layer, Module) then
    raise("Transformer: expected a layer, got %s", kind_of(layer))
  end
  if norm ~= nil and not class.is_a(norm, Module) then
    raise("Transformer: norm: expected a layer, got %s", kind_of(norm))
  end
  local layers = {}
  for i = 1, count do layers[i] = layer:clone() end
  return ModuleList(layers)
end

--- A stack of encoder layers.
---@param encoder_layer module  the layer to copy
---@use nn: num_layers, norm = nil
---@call
---@use nn: src
---@param mask tensor = nil  attention mask of src: bool, true to mask, or floating, added to the scores
---@use nn: src_key_padding_mask = nil, is_causal = false
---@shapes (length, n, d_model) -> the same; with batch_first n comes first
---@see nn.Transformer nn.TransformerEncoderLayer nn.MultiheadAttention
---@example
--- nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 2)(tide.ones(5, 1, 8)).shape --> {5, 1, 8}
local TransformerEncoder, read_encoder = define("nn.TransformerEncoder", Module)
transformer.TransformerEncoder = TransformerEncoder

function TransformerEncoder:init(...)
  local given = read_encoder(...)
  self.layers = repeat_layer(given.encoder_layer, given.num_layers, given.norm)
  self.norm = given.norm
end

local read_encode_stack = reader "nn.TransformerEncoder:forward"

--- encoder(x, {mask, src_key_padding_mask})
function TransformerEncoder:forward(...)
  local given = read_encode_stack(self, ...)
  local x = given.src
  for _, layer in ipairs(self.layers) do
    x = layer(x, given.mask, given.src_key_padding_mask, given.is_causal)
  end
  return self.norm and self.norm(x) or x
end

--- A stack of decoder layers.
---@param decoder_layer module  the layer to copy
---@use nn: num_layers, norm = nil
---@call
---@use nn: tgt, memory, tgt_mask = nil, memory_mask = nil, tgt_key_padding_mask = nil, memory_key_padding_mask = nil,
---  tgt_is_causal = false, memory_is_causal = false
---@shapes (length, n, d_model) -> the same; with batch_first n comes first
---@see nn.Transformer nn.TransformerEncoderLayer nn.MultiheadAttention
---@example
--- local decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2), 2)
--- decoder(tide.ones(5, 1, 8), tide.ones(6, 1, 8)).shape --> {5, 1, 8}
local TransformerDecoder, read_decoder = define("nn.TransformerDecoder", Module)
transformer.TransformerDecoder = TransformerDecoder

function TransformerDecoder:init(...)
  local given = read_decoder(...)
  self.layers = repeat_layer(given.decoder_layer, given.num_layers, given.norm)
  self.norm = given.norm
end

local read_decode_stack = reader "nn.TransformerDecoder:forward"

--- decoder(x, memory, {tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask})
function TransformerDecoder:forward(...)
  local given = read_decode_stack(self, ...)
  local x = given.tgt
  for _, layer in ipairs(self.layers) do
    x = layer(x, given.memory, given.tgt_mask, given.memory_mask, given.tgt_key_padding_mask,
      given.memory_key_padding_mask)
  end
  return self.norm and self.norm(x) or x
end

--- Encoder and decoder: y = transformer(src, tgt).
---@use nn: d_model = 512, nhead = 8
---@param num_encoder_layers integer = 6  number of encoder layers
---@param num_decoder_layers integer = 6  number of decoder layers
---@use nn: dim_feedforward = 2048, dropout = 0.1, activation = "relu"
---@param custom_encoder module = nil  replaces the encoder
---@param custom_decoder module = nil  replaces the decoder
---@use nn: layer_norm_eps = 1e-5, batch_first = false, norm_first = false, bias = true, device = nil, dtype = nil
---@call
---@use nn: src, tgt, src_mask = nil, tgt_mask = nil, memory_mask = nil, src_key_padding_mask = nil,
---  tgt_key_padding_mask = nil, memory_key_padding_mask = nil
---@shapes (length, n, d_model) -> the same; with batch_first n comes first
---@see nn.TransformerEncoder nn.TransformerEncoderLayer nn.TransformerDecoder nn.MultiheadAttention
---@example
--- local net = nn.Transformer({d_model = 8, nhead = 2, num_encoder_layers = 1, num_decoder_layers = 1})
--- net(tide.ones(6, 1, 8), tide.ones(5, 1, 8)).shape --> {5, 1, 8}
local Transformer, read_transformer = define("nn.Transformer", Module)
transformer.Transformer = Transformer

function Transformer:init(...)
  local given = read_transformer(...)
  local options = {}
  for _, name in ipairs(layer_options) do options[name] = given[name] end
  local function norm()
    return norms.LayerNorm(given.d_model, {
      eps = given.layer_norm_eps, bias = given.bias, device = given.device, dtype = given.dtype,
    })
  end
  self.encoder = given.custom_encoder or TransformerEncoder(
    TransformerEncoderLayer(given.d_model, given.nhead, options), given.num_encoder_layers, norm())
  self.decoder = given.custom_decoder or TransformerDecoder(
    TransformerDecoderLayer(given.d_model, given.nhead, options), given.num_decoder_layers, norm())
  for _, parameter in ipairs(self:parameters()) do
    if parameter:dim() > 1 then init.xavier_uniform_(parameter) end
  end
end

local read_run = reader "nn.Transformer:forward"

--- transformer(src, tgt, {src_mask, tgt_mask, memory_mask, src_key_padding_mask, ...})
function Transformer:forward(...)
  local given = read_run(self, ...)
  local memory = self.encoder(given.src, given.src_mask, given.src_key_padding_mask)
  return self.decoder(given.tgt, memory, given.tgt_mask, given.memory_mask,
    given.tgt_key_padding_mask, given.memory_key_padding_mask)
end

--- The causal mask (size, size), -inf above the diagonal: no position attends to later ones.
function Transformer.generate_square_subsequent_mask(size, options)
  return tide.full({size, size}, -math.huge, options):triu(1)
end

return transformer
