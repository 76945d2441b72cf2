-- Attention of half types on a CUDA device, whose products are of halves and whose scores are not rounded.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local F = tide.nn.functional

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
        local close = dtype == "float16" and {rtol = 4e-3, atol = 2e-3} or {rtol = 3e-2, atol = 1.6e-2}
        test.equal(found.dtype, dtype)
        test.close(found:cpu(), y, close)
        local weight = tide.randn(y.shape):to(dtype)
        local wanted, grads = {tide.grad(y, inputs, weight)}, {tide.grad(found, there, weight:cuda())}
        for i = 1, 3 do
          test.equal(grads[i].dtype, dtype)
          test.close(grads[i]:cpu(), wanted[i], close)
        end
      end)
    end
  end
end)
