-- Answers to the exercises of lesson 25, the memory of a training.
--
-- To run them:   tide lesson 25 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local nn = tide.nn
local exercises = require("tide.test").exercises

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

-- 1. The sum of the squares of the outputs of the net for a list of batches, as a tensor.
local function evaluate(net, batches)
  -- Start:
  -- local sum = 0
  -- for _, batch in ipairs(batches) do sum = sum + net(batch):square():sum() end
  -- return sum
  -- Solution:
  local _ <close> = tide.no_grad()
  local sum = 0
  for _, batch in ipairs(batches) do sum = sum + net(batch):square():sum() end
  return sum
  -- End
end

-- 2. Leaves the gradients of the mean of net(x):square() in the parameters of the net, which have
-- none before.
local function gradients(net, x)
  -- Start:
  -- net(x):square():mean():backward()
  -- Solution:
  local parts = 4
  local rows = #x // parts
  for part = 1, parts do
    local loss = net(x[{{(part - 1) * rows + 1, part * rows}}]):square():mean() / parts
    loss:backward()
    collectgarbage() -- for tensors as small as here; see section 3 of the lesson
  end
  -- End
end

-- 3. The largest size for which works(size) is true: a power of two. works(1) is; for sizes that
-- are too large it is false, and there is one such. Trying is expensive: try none twice.
local function largest_batch(works)
  -- Solution:
  local size = 1
  while works(size * 2) do size = size * 2 end
  return size
  -- End
end

local function make()
  local net = nn.Sequential()
  for _ = 1, 8 do
    net:append(nn.Linear(32, 32))
    net:append(nn.Tanh())
  end
  return net:to(device)
end

-- What checks the exercises.
--- Bytes that tensors hold.
local function held()
  collectgarbage()
  tide.synchronize(device)
  return tide.memory_allocated(device)
end

--- The result of fn, and the bytes that were held at most while it ran, beyond those before.
local function peak_of(fn, ...)
  local before = held()
  tide.reset_peak_memory_stats(device)
  local result = fn(...)
  tide.synchronize(device)
  return result, tide.max_memory_allocated(device) - before
end

exercises {
  {"1. evaluate keeps no graph", function(expect)
    local net, batches, expected = make(), {}, 0
    for i = 1, 4 do
      batches[i] = tide.randn(256, 32, {device = device})
      expected = expected + tide.no_grad(net, batches[i]):square():sum():item()
    end
    local before = held()
    local sum = evaluate(net, batches)
    local kept = held() - before
    expect(tide.is_tensor(sum) and math.abs(sum:item() / expected - 1) < 1e-3,
      ("the sum is %g, not %s"):format(expected, tostring(sum)))
    expect(kept < 4096, ("when it is over, %d kB are held for a way back that never comes: compute "
      .. "in no_grad"):format(kept // 1024))
  end},

  {"2. gradients has half the peak", function(expect)
    local net, x = make(), tide.randn(4096, 32, {device = device})
    local _, whole = peak_of(function() net(x):square():mean():backward() end)
    local expected = {}
    for i, parameter in ipairs(net:parameters()) do
      expected[i] = parameter.grad:clone()
      parameter.grad = nil
    end
    local _, peak = peak_of(gradients, net, x)
    for i, parameter in ipairs(net:parameters()) do
      expect(parameter.grad, "after it the parameters have gradients")
      expect(parameter.grad:allclose(expected[i], {rtol = 1e-3, atol = 1e-6}), "they are other "
        .. "gradients: the mean of a part counts by its share, and the sum is that of all")
    end
    expect(peak <= whole / 2, ("the peak is %d kB, and %d kB for the whole batch: take it in "
      .. "parts"):format(peak // 1024, whole // 1024))
  end},

  {"3. largest_batch tries each size once", function(expect)
    for _, most in ipairs {1, 100, 5000} do
      local tried = {}
      local size = largest_batch(function(count)
        expect(not tried[count], ("it tries %s twice"):format(count))
        tried[count] = true
        return count <= most
      end)
      local right = 1
      while right * 2 <= most do right = right * 2 end
      expect(size == right, ("if at most %d fit it is %d, not %s"):format(most, right, size))
    end
  end},
}
