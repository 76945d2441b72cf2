-- Attention of half types on a CUDA device: by half products for few scores, by the library for many.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local F = tide.nn.functional

--- The tolerance for weights rounded to the type.
local function tolerance(dtype)
  return dtype == "float16" and {rtol = 4e-3, atol = 2e-3} or {rtol = 3e-2, atol = 1.6e-2}
end

--- The device's gradients equal the cpu's.
local function same_gradients(dtype, y, inputs, found, there)
  local weight = tide.randn(y.shape):to(dtype)
  local wanted, grads = {tide.grad(y, inputs, weight)}, {tide.grad(found, there, weight:cuda())}
  for i = 1, 3 do
    test.equal(grads[i].dtype, dtype)
    test.close(grads[i]:cpu(), wanted[i], tolerance(dtype))
  end
end

describe("attention of half types", function()
  for _, dtype in ipairs {"float16", "bfloat16"} do
    for _, case in ipairs {{"whole", 1, {}}, {"causal", 1, {is_causal = true}}, {"every other feature", 2, {}}} do
      local name, step, options = table.unpack(case)
      it(("has the values and gradients of the cpu's: %s, %s"):format(dtype, name), function()
        tide.manual_seed(5)
        local inputs, there = {}, {}
        for i, shape in ipairs {{2, 3, 24, 16}, {2, 3, 40, 16}, {2, 3, 40, 16}} do
          inputs[i] = tide.randn(shape):to(dtype):requires_grad_()
          there[i] = inputs[i]:detach():cuda():requires_grad_()
        end
        local function attend(x)
          local part = {{}, {}, {}, {1, -1, step}}
          return F.scaled_dot_product_attention(x[1][part], x[2][part], x[3][part], options)
        end
        local y, found = attend(inputs), attend(there)
        test.equal(found.dtype, dtype)
        test.close(found:cpu(), y, tolerance(dtype))
        same_gradients(dtype, y, inputs, found, there)
      end)
    end
  end
end)

describe("attention of many scores", function()
  -- More scores than may exist at a time, so that the library is used.
  local kRows <const>, kKeys <const>, kFeatures <const> = 1056, 1024, 8

  --- Query, key and value of two heads on a device; `apart`: heads are interleaved with the rows.
  local function inputs(device, dtype, apart)
    tide.manual_seed(7)
    local result = {}
    for i, rows in ipairs {kRows, kKeys, kKeys} do
      local x = apart and tide.randn(1, rows, 2, kFeatures) or tide.randn(1, 2, rows, kFeatures)
      x = x:to(dtype):to(device)
      result[i] = (apart and x:transpose(2, 3) or x):requires_grad_()
    end
    return result
  end

  --- The keys that each query may attend to: none for the first, a few for the others.
  local function seen()
    local row, key = tide.arange(kRows):unsqueeze(2), tide.arange(kKeys)
    return ((row - key) % 7):lt(4):logical_and(row:gt(40))
  end
  --- Values added to the scores, different for each head.
  local function numbers()
    tide.manual_seed(11)
    local x = tide.randn(2, kRows, kKeys)
    x[{1, {1, 30}}] = -math.huge
    return x
  end
  local cases = {
    {"whole", "float16", false, {}}, {"causal", "bfloat16", true, {is_causal = true, scale = 0.5}},
    {"what a query sees", "float16", true, {}, seen},
    {"keys that none sees", "bfloat16", false, {}, function()
      return tide.arange(kKeys):lt(kKeys - 100):view(1, 1, 1, -1)
    end},
    {"added numbers", "bfloat16", false, {}, numbers},
  }
  for _, case in ipairs(cases) do
    local name, dtype, apart, options, make_mask = table.unpack(case)
    it("has the values and gradients of the cpu's: " .. name, function()
      local here, there = inputs("cpu", dtype, apart), inputs("cuda", dtype, apart)
      local mask = make_mask and make_mask()
      local y = F.scaled_dot_product_attention(here[1], here[2], here[3], mask, options)
      mask = mask and mask:cuda()
      tide.synchronize "cuda"
      tide.reset_peak_memory_stats "cuda"
      local before = tide.memory_allocated "cuda"
      local found = F.scaled_dot_product_attention(there[1], there[2], there[3], mask, options)
      test.equal(found.dtype, dtype)
      test.close(found:cpu(), y, tolerance(dtype))
      -- No scores are kept; of a mask one value per element, in a block of full 2 MiB units.
      local most = kRows * kKeys + (mask and 4 * mask:numel() + 2^21 or 0)
      test.equal(tide.max_memory_allocated "cuda" - before < most, true)
      same_gradients(dtype, y, here, found, there)
    end)
  end
end)
