-- Workloads as large as a GPU needs them, left out on other devices unless they are named.
local tide = require "tide"
local rows = require "bench.memory_rows"

local size = 8192

--- Random factors of a floating type.
local function floats(dtype)
  return function(device)
    local a = tide.randn(size, size, {device = device}):to(dtype)
    return a, tide.randn(size, size, {device = device}):to(dtype)
  end
end

--- Random bytes, the second factor lying as weights do.
local function bytes(device)
  local function draw()
    return tide.randint(-128, 127, {size, size}, {dtype = "int8", device = device})
  end
  return draw(), draw():t()
end

--- Products of 8192 x 8192, at a precision of float32, as `options` of matmul say.
local function product(name, factors, precision, options)
  local count = 10
  return {
    name = "matmul_8192_" .. name,
    words = ("A(%d, %d) times B(%d, %d) in %s, %d times"):format(size, size, size, size, name, count),
    unit = "GFLOP/s",
    more_is_better = true,
    figure = function(t) return 2 * size ^ 3 * count / t / 1e9 end,
    make = function(device)
      local a, b = factors(device)
      return function()
        local before = tide.get_float32_matmul_precision()
        tide.set_float32_matmul_precision(precision)
        local products = {}
        for i = 1, count do products[i] = a:matmul(b, options) end
        tide.set_float32_matmul_precision(before)
        tide.synchronize(device)
      end
    end,
  }
end

local list = {
  product("f32", floats "float32", "highest", {}),
  product("tf32", floats "float32", "high", {}),
  product("bf16", floats "bfloat16", "highest", {}),
  product("int8", bytes, "highest", {out_dtype = "int32"}),
  rows.row("copy_256m", "256 Mi elements copied onto others; 2 arrays", 2 << 28, {{1 << 28}, {1 << 28}},
    function(a, b) return b:copy_(a) end),
}
for _, some in ipairs {rows.elementwise(256), rows.normalizations(16)} do
  table.move(some, 1, #some, #list + 1, list)
end
for _, row in ipairs(list) do row.only_gpu = true end
return list
