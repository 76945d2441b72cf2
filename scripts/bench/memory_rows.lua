-- Workloads bound by memory whose size is chosen: chains, sums and normalizations of rows.
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

--- Elementwise rows over a number of Mi elements.
local function elementwise(mi)
  local size, long = mi * kMi, {mi * kMi}
  local over = (" over %d Mi elements; "):format(mi)
  return {
    row(("chain_%dm"):format(mi), "tanh(a * b + c) * sigmoid(a) - 0.5 * exp(-b * b)" .. over .. "4 arrays",
      4 * size, {long, long, long},
      function(a, b, c) return (a * b + c):tanh() * a:sigmoid() - 0.5 * (-b * b):exp() end),
    row(("add_%dm"):format(mi), "a + b" .. over .. "3 arrays", 3 * size, {long, long},
      function(a, b) return a + b end),
  }
end

--- Normalizations over the rows of a square matrix with a number of Ki rows.
local function normalizations(ki)
  local side = ki << 10
  local matrix, line = {side, side}, {side}
  local over = ("over the last dimension of (%d, %d); 2 arrays"):format(side, side)
  return {
    row(("softmax_%dk"):format(ki), "softmax " .. over, 2 * side * side, {matrix},
      function(a) return a:softmax(-1) end),
    row(("layernorm_%dk"):format(ki), "layer norm with weight and bias " .. over, 2 * side * side,
      {matrix, line, line},
      function(a, weight, bias) return F.layer_norm(a, {side}, weight, bias, 1e-5) end),
  }
end

return {row = row, elementwise = elementwise, normalizations = normalizations}
