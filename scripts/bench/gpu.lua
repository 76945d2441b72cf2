-- Workloads as large as a GPU needs them, left out on other devices unless they are named.
local tide = require "tide"
local rows = require "bench.memory_rows"

--- Products of 8192 x 8192, of a type and at a precision of float32.
local function product(name, dtype, precision)
  local size, count = 8192, 10
  return {
    name = "matmul_8192_" .. name,
    words = ("A(%d, %d) times B(%d, %d) in %s, %d times"):format(size, size, size, size, name, count),
    unit = "GFLOP/s",
    more_is_better = true,
    figure = function(t) return 2 * size ^ 3 * count / t / 1e9 end,
    make = function(device)
      local a = tide.randn(size, size, {device = device}):to(dtype)
      local b = tide.randn(size, size, {device = device}):to(dtype)
      return function()
        local before = tide.get_float32_matmul_precision()
        tide.set_float32_matmul_precision(precision)
        local products = {}
        for i = 1, count do products[i] = a:matmul(b) end
        tide.set_float32_matmul_precision(before)
        tide.synchronize(device)
      end
    end,
  }
end

local list = {
  product("f32", "float32", "highest"),
  product("tf32", "float32", "high"),
  product("bf16", "bfloat16", "highest"),
  rows.row("copy_256m", "256 Mi elements copied onto others; 2 arrays", 2 << 28, {{1 << 28}, {1 << 28}},
    function(a, b) return b:copy_(a) end),
}
for _, some in ipairs {rows.elementwise(256), rows.normalizations(16)} do
  table.move(some, 1, #some, #list + 1, list)
end
for _, row in ipairs(list) do row.only_gpu = true end
return list
