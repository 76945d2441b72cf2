-- Workloads bound by memory: elementwise chains, sums, and normalizations of rows.
local tide = require "tide"
local F = tide.nn.functional

local kMi = 1 << 20
local kFloat = 4

--- A row that moves `floats` numbers per repetition; `compute` takes tensors of the given shapes.
local function row(name, words, floats, shapes, compute)
  return {
    name = name,
    words = words,
    unit = "GB/s",
    more_is_better = true,
    memory_bound = true,
    figure = function(t) return floats * kFloat / t / 1e9 end,
    make = function(device)
      local inputs = {}
      for i, shape in ipairs(shapes) do inputs[i] = tide.randn(shape, {device = device}) end
      return function()
        local result = compute(table.unpack(inputs))
        tide.synchronize(device)
        return result
      end
    end,
  }
end

local long, matrix, line = {16 * kMi}, {4096, 4096}, {4096}

return {
  row("chain_16m",
    "tanh(a * b + c) * sigmoid(a) - 0.5 * exp(-b * b) over 16 Mi elements; 4 arrays", 4 * 16 * kMi,
    {long, long, long},
    function(a, b, c) return (a * b + c):tanh() * a:sigmoid() - 0.5 * (-b * b):exp() end),
  row("add_16m", "a + b over 16 Mi elements; 3 arrays", 3 * 16 * kMi, {long, long},
    function(a, b) return a + b end),
  row("sum_64m", "the sum of 64 Mi elements, read; 1 array", 64 * kMi, {{64 * kMi}},
    function(a) return a:sum():item() end),
  row("softmax_4k", "softmax over the last dimension of (4096, 4096); 2 arrays", 2 * 16 * kMi,
    {matrix},
    function(a) return a:softmax(-1) end),
  row("layernorm_4k",
    "layer norm with weight and bias over the last dimension of (4096, 4096); 2 arrays",
    2 * 16 * kMi, {matrix, line, line},
    function(a, weight, bias) return F.layer_norm(a, {4096}, weight, bias, 1e-5) end),
  row("gelu_rows", "the mean over rows of tanh-gelu(x + bias), x (4096, 4096); 1 array", 16 * kMi,
    {matrix, line},
    function(a, bias) return F.gelu(a + bias, {approximate = "tanh"}):mean(-1) end),
}
