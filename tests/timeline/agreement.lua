-- tide agreement.lua: the kernel times of profiles beside the device times of tide.benchmark without
-- one. Each is the shortest of many, taken in turns: what else runs on the machine makes only longer.
local tide = require "tide"
local nn, F = tide.nn, tide.nn.functional

tide.manual_seed(1)
tide.set_default_device(tide.accelerator())

local kMost <const> = 0.05 -- by which they may differ
local kLeast <const>, kRounds <const> = 5, 100

local function training(net, x, y, loss_of)
  local optimizer = tide.optim.AdamW(net:parameters(), {lr = 1e-3})
  return function()
    optimizer:zero_grad()
    loss_of(net(x), y):backward()
    optimizer:step()
  end
end

local function gpt()
  local layer = nn.TransformerEncoderLayer(256, 8, {dim_feedforward = 1024, dropout = 0.0,
    activation = "gelu", batch_first = true, norm_first = true})
  local net = nn.Sequential(nn.Embedding(512, 256), layer, nn.Linear(256, 512))
  local text = tide.randint(1, 512, {16, 129})
  return training(net, text:narrow(2, 1, 128), text:narrow(2, 2, 128):flatten(),
    function(logits, y) return F.cross_entropy(logits:flatten(1, 2), y) end)
end

local square, images = tide.randn(768, 768), tide.randn(16, 32, 56, 56)
local filters, long, wide = tide.randn(64, 32, 3, 3), tide.randn(1 << 23), tide.randn(4096, 2048)
local kWorkloads <const> = {
  {"matmul", function() return square:matmul(square) end},
  {"conv", function() return F.conv2d(images, filters, {padding = 1}) end},
  {"chain", function() return (long * 2 + 1):relu():exp() end},
  {"softmax", function() return F.softmax(wide, 2) end},
  {"gpt step", gpt()},
}

local function kernels_of(p)
  local ms = 0
  for _, row in ipairs(p:table{by = "kernel", limit = math.maxinteger}) do ms = ms + row.device_ms end
  return ms
end

--- Milliseconds of the benchmark and of the kernels, and the rounds that it took.
local function compare(fn)
  local benchmark, kernels, rounds = math.huge, math.huge, 0
  repeat
    rounds = rounds + 1
    local timed = tide.benchmark(fn, {warmup = 1, repeats = 3})
    local p, profiled = tide.profile(function()
      return tide.benchmark(fn, {warmup = 0, repeats = timed.runs})
    end)
    benchmark = math.min(benchmark, timed.device_ms)
    kernels = math.min(kernels, kernels_of(p) / profiled.runs)
  until rounds == kRounds
    or rounds >= kLeast and math.abs(kernels / benchmark - 1) <= kMost
  return benchmark, kernels, rounds
end

local far = 0
print("workload   benchmark ms   kernels ms   kernels / benchmark   rounds")
for _, workload in ipairs(kWorkloads) do
  local name, fn = table.unpack(workload)
  local benchmark, kernels, rounds = compare(fn)
  print(("%-10s %12.3f %12.3f %21.3f %8d"):format(name, benchmark, kernels, kernels / benchmark,
    rounds))
  if math.abs(kernels / benchmark - 1) > kMost then far = far + 1 end
end
if far > 0 then error(("%d workloads differ by more than %g %%"):format(far, 100 * kMost), 0) end
