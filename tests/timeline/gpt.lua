-- Three steps of training a small GPT, for a profile with attention and fused kernels.
local tide = require "tide"
local nn, F, range = tide.nn, tide.nn.functional, tide.profiler.record_function

tide.manual_seed(1)
tide.set_default_device(tide.accelerator())

local Block = tide.class("Block", nn.Module)

function Block:init(size, heads)
  self.heads = heads
  self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
  self.qkv, self.proj = nn.Linear(size, 3 * size), nn.Linear(size, size)
  self.fc1, self.fc2 = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
end

function Block:forward(x)
  local n, length, size = table.unpack(x.shape)
  local qkv = self.qkv(self.norm1(x)):view(n, length, 3, self.heads, size // self.heads)
  local q, k, v = table.unpack(qkv:permute(3, 1, 4, 2, 5):unbind(1))
  local y = F.scaled_dot_product_attention(q, k, v, {is_causal = true})
  x = x + self.proj(y:transpose(2, 3):reshape(n, length, size))
  return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))
end

local tokens, head = nn.Embedding(256, 128), nn.Linear(128, 256)
local net = nn.Sequential(tokens, Block(128, 4), Block(128, 4), nn.LayerNorm(128), head)
local optimizer = tide.optim.AdamW(net:parameters(), {lr = 1e-3})
local text = tide.randint(1, 256, {8, 65})
local x, y = text:narrow(2, 1, 64), text:narrow(2, 2, 64):flatten()

for i = 1, 3 do
  local _ <close> = range("step " .. i)
  optimizer:zero_grad()
  local loss = range("forward", function() return F.cross_entropy(net(x):flatten(1, 2), y) end)
  range("backward", function() loss:backward() end)
  range("update", function() optimizer:step() end)
  print(loss:item())
end
