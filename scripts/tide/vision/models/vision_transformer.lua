-- Vision transformers (Dosovitskiy et al., 2020).
local class = require "tide.internal.class"
local family = require "tide.vision.models.internal.family"
local init = require "tide.nn.init"
local nn = require "tide.nn"
local ops = require "tide.vision.ops"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Older torchvision files name the layers linear_1 and linear_2: renames them in the state to load.
local function rename_old(_, state, prefix)
  for old, new in pairs {linear_1 = "0", linear_2 = "3"} do
    for _, field in ipairs {".weight", ".bias"} do
      local tensor = state[prefix .. old .. field]
      if tensor then state[prefix .. old .. field], state[prefix .. new .. field] = nil, tensor end
    end
  end
end

local MLPBlock = class("MLPBlock", ops.MLP)

function MLPBlock:init(inputs, hidden, dropout)
  ops.MLP.init(self, inputs, {hidden, inputs}, {activation_layer = nn.GELU, dropout = dropout})
  for _, layer in ipairs {self[1], self[4]} do
    init.xavier_uniform_(layer.weight)
    init.normal_(layer.bias, 0, 1e-6)
  end
  self:register_load_state_dict_pre_hook(rename_old)
end

local EncoderBlock = class("EncoderBlock", nn.Module)

function EncoderBlock:init(size, given)
  self.ln_1 = given.norm_layer(size.hidden)
  self.self_attention = nn.MultiheadAttention(size.hidden, size.heads,
    {dropout = given.attention_dropout, batch_first = true})
  self.dropout = nn.Dropout(given.dropout)
  self.ln_2 = given.norm_layer(size.hidden)
  self.mlp = MLPBlock(size.hidden, size.mlp, given.dropout)
end

function EncoderBlock:forward(x)
  local y = self.ln_1(x)
  y = self.self_attention(y, y, y, {need_weights = false})
  y = self.dropout(y) + x
  return y + self.mlp(self.ln_2(y))
end

local Encoder = class("Encoder", nn.Module)

function Encoder:init(length, size, given)
  self:parameter("pos_embedding", {1, length, size.hidden}, function(t) init.normal_(t, 0, 0.02) end)
  self.dropout = nn.Dropout(given.dropout)
  self.layers = nn.Sequential()
  for i = 0, size.layers - 1 do
    self.layers:add {"encoder_layer_" .. i, EncoderBlock(size, given)}
  end
  self.ln = given.norm_layer(size.hidden)
end

function Encoder:forward(x) return self.ln(self.layers(self.dropout(x + self.pos_embedding))) end

local VisionTransformer = class("VisionTransformer", nn.Module)

--- The patch embedding: one convolution, or several (Xiao et al., 2021) given by a list of
--- {out_channels, kernel_size, stride, norm_layer, activation_layer}.
local function make_projection(size, configs)
  if not configs then
    local conv = nn.Conv2d(3, size.hidden, size.patch, {stride = size.patch})
    init.trunc_normal_(conv.weight, {std = math.sqrt(1 / (3 * size.patch * size.patch))})
    init.zeros_(conv.bias)
    return conv
  end
  local stem, inputs = nn.Sequential(), 3
  for i, config in ipairs(configs) do
    stem:add {"conv_bn_relu_" .. i - 1, ops.Conv2dNormActivation(inputs, config.out_channels,
      config.kernel_size, {stride = config.stride, norm_layer = config.norm_layer,
      activation_layer = config.activation_layer})}
    inputs = config.out_channels
  end
  local last = nn.Conv2d(inputs, size.hidden, 1)
  init.normal_(last.weight, 0, math.sqrt(2 / size.hidden))
  init.zeros_(last.bias)
  return stem:add {"conv_last", last}
end

local function make_heads(size, given)
  local inner = given.representation_size
  local head = nn.Linear(inner or size.hidden, given.num_classes)
  init.zeros_(head.weight)
  init.zeros_(head.bias)
  if not inner then return nn.Sequential({"head", head}) end
  local before = nn.Linear(size.hidden, inner)
  init.trunc_normal_(before.weight, {std = math.sqrt(1 / size.hidden)})
  init.zeros_(before.bias)
  return nn.Sequential({"pre_logits", before}, {"act", nn.Tanh()}, {"head", head})
end

function VisionTransformer:init(size, given)
  local image = given.image_size
  if image % size.patch ~= 0 then
    raise("VisionTransformer: image_size %d is not divisible by the patch size %d", image, size.patch)
  end
  self.image_size, self.hidden_dim = image, size.hidden
  self.conv_proj = make_projection(size, given.conv_stem_configs)
  self:parameter("class_token", {1, 1, size.hidden})
  local side = image // size.patch
  self.encoder = Encoder(side * side + 1, size, given)
  self.heads = make_heads(size, given)
end

function VisionTransformer:forward(x)
  if x:dim() ~= 4 or x:size(3) ~= self.image_size or x:size(4) ~= self.image_size then
    raise("VisionTransformer: expected images of %d x %d, got (%s): set image_size",
      self.image_size, self.image_size, table.concat(x.shape, ", "))
  end
  local patches = self.conv_proj(x):flatten(3):permute(1, 3, 2)
  local token = self.class_token:expand(x:size(1), 1, self.hidden_dim)
  return self.heads(self.encoder(tide.cat({token, patches}, 2)):select(2, 1))
end

local function usual_norm(features) return nn.LayerNorm(features, {eps = 1e-6}) end

local transformers, transformer = family(VisionTransformer, usual_norm)

--- A vision transformer, named by its size and patch size; images must be image_size x image_size.
---@use vision: image_size = 224, dropout = 0.0, attention_dropout = 0.0, num_classes = 1000, representation_size =
---  nil, conv_stem_configs = nil, norm_layer = nil
---@example
--- tide.vision.models.vit_b_16 ~= nil --> true
transformer("vision.models.vit_b_16", {patch = 16, layers = 12, heads = 12, hidden = 768, mlp = 3072})

--- A vision transformer, named by its size and patch size; images must be image_size x image_size.
---@like vision.models.vit_b_16
---@example
--- tide.vision.models.vit_b_32 ~= nil --> true
transformer("vision.models.vit_b_32", {patch = 32, layers = 12, heads = 12, hidden = 768, mlp = 3072})

--- A vision transformer, named by its size and patch size; images must be image_size x image_size.
---@like vision.models.vit_b_16
---@example
--- tide.vision.models.vit_l_16 ~= nil --> true
transformer("vision.models.vit_l_16", {patch = 16, layers = 24, heads = 16, hidden = 1024, mlp = 4096})

--- A vision transformer, named by its size and patch size; images must be image_size x image_size.
---@like vision.models.vit_b_16
---@example
--- tide.vision.models.vit_l_32 ~= nil --> true
transformer("vision.models.vit_l_32", {patch = 32, layers = 24, heads = 16, hidden = 1024, mlp = 4096})

--- A vision transformer, named by its size and patch size; images must be image_size x image_size.
---@like vision.models.vit_b_16
---@example
--- tide.vision.models.vit_h_14 ~= nil --> true
transformer("vision.models.vit_h_14", {patch = 14, layers = 32, heads = 16, hidden = 1280, mlp = 5120})

return transformers
