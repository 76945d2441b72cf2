-- Workloads bound by arithmetic: products of square matrices.
local tide = require "tide"

local function row(size, count)
  return {
    name = "matmul_" .. size,
    words = ("A(%d, %d) times B(%d, %d), %d times"):format(size, size, size, size, count),
    unit = "GFLOP/s",
    more_is_better = true,
    figure = function(t) return 2 * size ^ 3 * count / t / 1e9 end,
    make = function(device)
      local a = tide.randn(size, size, {device = device})
      local b = tide.randn(size, size, {device = device})
      return function()
        local products = {}
        for i = 1, count do products[i] = a:matmul(b) end
        tide.synchronize(device)
      end
    end,
  }
end

return {row(256, 200), row(1024, 20), row(4096, 1)}
