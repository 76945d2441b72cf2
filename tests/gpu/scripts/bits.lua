-- Saves the results and gradients of products, convolutions and attention to the given file: two processes must write
-- the same bytes.
local F = tide.nn.functional
local results = {}

--- Calls fn with random inputs of the shapes; keeps its result and the inputs' gradients.
local function keep(name, dtype, shapes, fn)
  local inputs = {}
  for i, shape in ipairs(shapes) do inputs[i] = tide.randn(shape):to(dtype):cuda():requires_grad_() end
  local y = fn(table.unpack(inputs))
  results[name] = y:detach():cpu()
  local weight = tide.randn(y.shape):to(y.dtype):cuda()
  for i, grad in ipairs {tide.grad(y, inputs, weight)} do
    results[("%s_grad%d"):format(name, i)] = grad:cpu()
  end
end

local rows, side, length = 768, 56, 1100
if arg[2] == "small" then rows, side, length = 24, 9, 40 end

tide.manual_seed(11)
for _, dtype in ipairs {"float32", "float16", "bfloat16"} do
  keep("product_" .. dtype, dtype, {{rows, rows}, {rows, rows}}, function(a, b) return a:matmul(b) end)
  keep("stack_" .. dtype, dtype, {{5, 33, 65}, {5, 65, 31}}, function(a, b) return a:matmul(b) end)
  keep("linear_" .. dtype, dtype, {{32, rows}, {10, rows}, {10}}, F.linear)
  keep("conv_" .. dtype, dtype, {{4, 16, side, side}, {24, 16, 3, 3}, {24}}, function(x, w, b)
    return F.conv2d(x, w, b, {padding = 1, stride = 2})
  end)
end
for _, dtype in ipairs {"float16", "bfloat16"} do
  for _, causal in ipairs {false, true} do
    local shape = {1, 2, length, 64}
    local name = ("%sattention_%s"):format(causal and "causal_" or "", dtype)
    keep(name, dtype, {shape, shape, shape}, function(q, k, v)
      return F.scaled_dot_product_attention(q, k, v, {is_causal = causal})
    end)
  end
end
tide.save(results, arg[1])
print("saved")
