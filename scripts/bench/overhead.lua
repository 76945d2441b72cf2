-- Workloads that measure what recording and launching cost, not arithmetic.
local tide = require "tide"

local function op_overhead(device)
  return function()
    local x = tide.zeros(1, {device = device})
    for _ = 1, 100000 do x = x + 1 end
    return x:item()
  end
end

local function op_overhead_grad(device)
  return function()
    local x
    for _ = 1, 20 do
      x = tide.ones(1, {device = device, requires_grad = true})
      local y = x
      for _ = 1, 1000 do y = y * x + 1 end
      y:backward()
    end
    return x.grad:item()
  end
end

local function frobenius(device)
  local a, b = tide.randn(100, 100, {device = device}), tide.randn(100, 100, {device = device})
  return function()
    local norms = {}
    for i = 1, 1000 do norms[i] = a:matmul(b):norm() end
    return tide.stack(norms):tolist()
  end
end

return {
  {
    name = "op_overhead",
    words = "x has 1 element; x = x + 1, 100 000 times, then read x",
    unit = "ns/op",
    figure = function(t) return t / 1e5 * 1e9 end,
    make = op_overhead,
  },
  {
    name = "op_overhead_grad",
    words = "x has 1 element and needs a gradient; y = y * x + 1, 1000 times, backward; 20 times",
    unit = "ns/op",
    figure = function(t) return t / 4e4 * 1e9 end,
    make = op_overhead_grad,
  },
  {
    name = "frobenius_1000",
    words = "1000 products of (100, 100) by (100, 100); the norm of each kept, all read at the end",
    unit = "us/product",
    figure = function(t) return t / 1000 * 1e6 end,
    make = frobenius,
  },
}
