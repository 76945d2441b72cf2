-- Workloads bound by memory: elementwise chains, sums, and normalizations of rows.
local tide = require "tide"
local rows = require "bench.memory_rows"
local F = tide.nn.functional

local kMi = 1 << 20

local chain, add = table.unpack(rows.elementwise(16))
local softmax, layernorm = table.unpack(rows.normalizations(4))

return {
  chain, add,
  rows.row("sum_64m", "the sum of 64 Mi elements, read; 1 array", 64 * kMi, {{64 * kMi}},
    function(a) return a:sum():item() end),
  softmax, layernorm,
  rows.row("gelu_rows", "the mean over rows of tanh-gelu(x + bias), x (4096, 4096); 1 array",
    16 * kMi, {{4096, 4096}, {4096}},
    function(a, bias) return F.gelu(a + bias, {approximate = "tanh"}):mean(-1) end),
}
