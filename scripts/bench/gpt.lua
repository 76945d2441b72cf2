-- The network of GPT-2, of any size.
local tide = require "tide"
local nn = tide.nn
local F = nn.functional
local class = require "tide.class"

--- A block of GPT-2: causal attention and two linear layers, each after a layer norm.
local DecoderBlock = class("DecoderBlock", nn.Module)

function DecoderBlock:init(size, heads)
  self.heads = heads
  self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
  self.qkv, self.proj = nn.Linear(size, 3 * size), nn.Linear(size, size)
  self.fc1, self.fc2 = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
end

function DecoderBlock:forward(x)
  local n, length, size = table.unpack(x.shape)
  local qkv = self.qkv(self.norm1(x)):view(n, length, 3, self.heads, size // self.heads)
  local q, k, v = table.unpack(qkv:permute(3, 1, 4, 2, 5):unbind(1))
  local y = F.scaled_dot_product_attention(q, k, v, {is_causal = true})
  x = x + self.proj(y:transpose(2, 3):reshape(n, length, size))
  return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))
end

local Gpt = class("Gpt", nn.Module)

--- `tied`: the last layer shares the weights of the embedding.
function Gpt:init(vocabulary, length, size, heads, layers, tied)
  self.tokens, self.places = nn.Embedding(vocabulary, size), nn.Embedding(length, size)
  self.blocks = nn.Sequential()
  for _ = 1, layers do self.blocks:add(DecoderBlock(size, heads)) end
  self.norm, self.head = nn.LayerNorm(size), nn.Linear(size, vocabulary, {bias = false})
  if tied then self.head.weight = self.tokens.weight end
end

function Gpt:forward(tokens)
  return self.head(self.norm(self.blocks(self.tokens(tokens) + self.places.weight)))
end

return Gpt
