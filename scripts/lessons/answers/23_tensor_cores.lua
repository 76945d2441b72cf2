-- Answers to the exercises of lesson 23, Tensor Cores and shapes.
--
-- To run them:   tide lesson 23 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local F = tide.nn.functional
local exercises = require("tide.test").exercises

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

--- The next multiple of 8, at least n.
local function next_fitting(n) return (n + 7) // 8 * 8 end

-- 1. The product of a (m, k) and b (k, n) of float16, with shape (m, n), on the Tensor Cores.
local function fitting(a, b)
  -- Start:
  -- return a:matmul(b)
  -- Solution:
  local m, k, n = a.shape[1], a.shape[2], b.shape[2]
  local more_m, more_k, more_n = next_fitting(m) - m, next_fitting(k) - k, next_fitting(n) - n
  local wide = F.pad(a, {0, more_k, 0, more_m}):matmul(F.pad(b, {0, more_n, 0, more_k}))
  return wide[{{1, m}, {1, n}}]
  -- End
end

-- 2. Operations per byte of a matmul of (m, k) and (k, n) whose elements have this many bytes.
local function product_intensity(m, k, n, bytes)
  -- Solution:
  local moved = m * k + k * n + m * n -- both are read, and the result is written
  return 2 * m * k * n / (moved * bytes)
  -- End
end

-- 3. The largest rate of work with this intensity, in FLOP/s. card.bandwidth is in bytes a second;
-- card.peaks and card.tensor (of the Tensor Cores) are tables by type, in 1e12 FLOP/s.
local function attainable(card, dtype, intensity)
  -- Solution:
  local peak = card.tensor[dtype] or card.peaks[dtype]
  return math.min(peak * 1e12, card.bandwidth * intensity)
  -- End
end

-- What checks the exercises.
--- The product in fn on a card, and the card.
local function product_on(name, fn)
  local estimate = tide.estimate(fn, {device = name})
  for _, part in ipairs(estimate.parts) do
    if part.name == "matmul" then return part, estimate.card end
  end
end

local function is_about(value, expected)
  return type(value) == "number" and math.abs(value - expected) <= 1e-6 * expected
end

exercises {
  {"1. fitting uses the Tensor Cores", function(expect)
    local a = tide.randn(30, 50, {device = device}):half()
    local b = tide.randn(50, 10, {device = device}):half()
    local result = fitting(a, b)
    expect(table.concat(result.shape, " ") == "30 10", "the result has shape (30, 10)")
    expect(tide.allclose(result:float(), a:matmul(b):float(), {atol = 0.05}),
      "the result is another one: pad with zeros, at the ends")
    local part = product_on("H200", function() return fitting(a, b) end)
    expect(part and part.dtype == "float16", "it is one product of float16")
    expect(part.tensor_cores, "a size is not a multiple of 8: F.pad(x, {left, right, above, below})")
  end},

  {"2. product_intensity counts operations and bytes", function(expect)
    for _, sizes in ipairs {{64, 64, 64}, {16, 128, 8}, {1, 256, 256}} do
      local m, k, n = table.unpack(sizes)
      local a, b = tide.randn(m, k, {device = device}), tide.randn(k, n, {device = device})
      tide.synchronize()
      local step = tide.explain(function() return a:matmul(b) end)[1]
      local value = product_intensity(m, k, n, 4)
      expect(is_about(value, step.intensity),
        ("(%d, %d) x (%d, %d): tide.explain has %.0f FLOP, %.0f bytes, so %.3f, not %s"):format(m,
          k, k, n, step.flops, step.bytes, step.intensity, value))
      expect(is_about(product_intensity(m, k, n, 2), 2 * value), "half the bytes, twice as much")
    end
  end},

  {"3. attainable is the roof", function(expect)
    local x = tide.ones(8, 8, {device = device})
    local _, card = product_on("H200", function() return x:matmul(x) end)
    for _, row in ipairs {
      {"float32", 1, 4.8e12}, {"float32", 1000, 67e12}, {"float16", 100, 480e12},
      {"float16", 1000, 989.5e12}, {"float64", 1, 4.8e12},
    } do
      local dtype, intensity, rate = table.unpack(row)
      local value = attainable(card, dtype, intensity)
      expect(is_about(value, rate), ("%s, %g FLOP/byte on an H200: %g FLOP/s, not %s"):format(dtype,
        intensity, rate, value))
    end
  end},
}
