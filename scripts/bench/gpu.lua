-- Workloads as large as a GPU needs them, left out on other devices unless they are named.
local tide = require "tide"
local rows = require "bench.memory_rows"
local F = tide.nn.functional

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

--- Random float8, the second factor lying as weights do, and a scale.
local function narrow(device)
  local function draw() return tide.randn(size, size, {device = device}):to("float8_e4m3fn") end
  return draw(), draw():t(), tide.ones({1}, {device = device})
end

--- Products of 8192 x 8192, at a precision of float32, by multiply(a, b, scale).
local function product(name, factors, precision, multiply)
  local count = 10
  return {
    name = "matmul_8192_" .. name,
    words = ("A(%d, %d) times B(%d, %d) in %s, %d times"):format(size, size, size, size, name, count),
    unit = "GFLOP/s",
    more_is_better = true,
    figure = function(t) return 2 * size ^ 3 * count / t / 1e9 end,
    make = function(device)
      local a, b, scale = factors(device)
      return function()
        local before = tide.get_float32_matmul_precision()
        tide.set_float32_matmul_precision(precision)
        local products = {}
        for i = 1, count do products[i] = multiply(a, b, scale) end
        tide.set_float32_matmul_precision(before)
        tide.synchronize(device)
      end
    end,
  }
end

local function multiply(a, b) return a:matmul(b) end

local list = {
  product("f32", floats "float32", "highest", multiply),
  product("tf32", floats "float32", "high", multiply),
  product("bf16", floats "bfloat16", "highest", multiply),
  product("int8", bytes, "highest", function(a, b) return a:matmul(b, {out_dtype = "int32"}) end),
  product("float8", narrow, "highest", function(a, b, scale) return tide.scaled_mm(a, b, scale, scale) end),
  rows.row("copy_256m", "256 Mi elements copied onto others; 2 arrays", 2 << 28, {{1 << 28}, {1 << 28}},
    function(a, b) return b:copy_(a) end),
}
for _, some in ipairs {rows.elementwise(256), rows.normalizations(16)} do
  table.move(some, 1, #some, #list + 1, list)
end

--- A bound by memory over a matrix of 16384 x 16384 in `dtype`; `passes` arrays of its size move.
local function matrix_row(name, words, dtype, bytes, passes, compute)
  return {
    name = name,
    words = words,
    unit = "GB/s",
    more_is_better = true,
    memory_bound = true,
    figure = function(t) return passes * (1 << 28) * bytes / t / 1e9 end,
    make = function(device)
      local a = tide.randn(1 << 14, 1 << 14, {device = device}):to(dtype)
      return function()
        local result = compute(a)
        tide.synchronize(device)
        return result
      end
    end,
  }
end

--- Causal attention of heads of 64 features, of `stacks` x 16 at `length` positions; `passes` counts products of the
--- forward pass.
local function attention_row(name, words, stacks, length, passes, make)
  local shape = {stacks, 16, length, 64}
  return {
    name = name,
    words = ("%s of causal attention, bfloat16, (%s)"):format(words, table.concat(shape, ", ")),
    unit = "GFLOP/s",
    more_is_better = true,
    figure = function(t) return passes * 2 * stacks * 16 * length ^ 2 * 64 / t / 1e9 end,
    make = function(device)
      local function draw() return tide.randn(shape, {device = device}):to("bfloat16") end
      local inputs = {draw():requires_grad_(), draw():requires_grad_(), draw():requires_grad_()}
      local run = make(inputs, draw())
      return function()
        local results = run()
        tide.synchronize(device)
        return results
      end
    end,
  }
end

local function attend(inputs)
  return F.scaled_dot_product_attention(inputs[1], inputs[2], inputs[3], {is_causal = true})
end

--- The rows of attention over `length` positions, whose names begin with `name`.
local function attention_rows(name, stacks, length)
  return {
    attention_row(name .. "_fwd", "the forward pass", stacks, length, 1, function(inputs)
      return function() return tide.no_grad(function() return attend(inputs) end) end
    end),
    attention_row(name .. "_train", "the forward pass and gradients", stacks, length, 3.5, function(inputs, dy)
      return function() return {tide.grad(attend(inputs), inputs, {grad_outputs = dy})} end
    end),
  }
end

for _, some in ipairs {
  {
    matrix_row("softmax_16k_bf16", "softmax over the last dimension of (16384, 16384) in bfloat16; 2 arrays",
      "bfloat16", 2, 2, function(a) return a:softmax(-1) end),
    matrix_row("column_sums_16k", "sums over the columns of (16384, 16384); 1 array", "float32", 4, 1,
      function(a) return a:sum(1) end),
  },
  attention_rows("attention", 4, 4096), attention_rows("attention_12k", 1, 12288),
  attention_rows("attention_16k", 1, 16384),
} do
  table.move(some, 1, #some, #list + 1, list)
end
for _, row in ipairs(list) do row.only_gpu = true end
return list
