-- Cumulative sums, products, minima and maxima on a CUDA device: equal to the cpu's, bit for bit, in fibers of one
-- block and of many.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

describe("running", function()
  for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "bool"} do
    it("sums and products of " .. dtype, function()
      for _, shape in ipairs {{7}, {1024}, {5000}, {3, 2100}, {1500, 3}, {200, 40}} do
        local x = (tide.randn(shape) * 3):to(dtype == "bool" and "int32" or dtype):to(dtype)
        for dim = 1, #shape do
          test.identical(x:cuda():cumsum(dim):cpu(), x:cumsum(dim))
          test.identical(x:cuda():cumprod(dim):cpu(), x:cumprod(dim))
        end
      end
    end)
  end

  it("sums of fibers of many blocks, and of more than a round of 1024 blocks", function()
    for _, shape in ipairs {{70000}, {2, 66000}, {1024 * 1024 + 3000}} do
      local x = tide.randn(shape)
      test.identical(x:cuda():cumsum(#shape):cpu(), x:cumsum(#shape))
    end
  end)

  for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16", "int64", "int8", "bool"} do
    it("minima and maxima of " .. dtype .. ": of equal ones the last, and nan above all", function()
      for _, shape in ipairs {{7}, {3000}, {3, 2100}, {1500, 3}} do
        local x = (tide.randn(shape) * 3):to(dtype == "bool" and "int32" or dtype):to(dtype)
        local with_nan = dtype:find("float") and {x, tide.where(tide.rand(shape):lt(0.001), 0 / 0, x)} or {x}
        for _, values in ipairs(with_nan) do
          for dim = 1, #shape do
            for _, name in ipairs {"cummax", "cummin"} do
              local got, got_places = values:cuda()[name](values:cuda(), dim)
              local expected, places = values[name](values, dim)
              test.identical(got:cpu(), expected)
              test.identical(got_places:cpu(), places)
            end
          end
        end
      end
    end)
  end
end)
