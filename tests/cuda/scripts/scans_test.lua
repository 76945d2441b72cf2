-- Running sums and products on a CUDA device: the cpu's bits, in lanes of one block and of many.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

describe("running", function()
  for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "bool"} do
    it("sums and products of " .. dtype, function()
      for _, shape in ipairs {{7}, {1024}, {5000}, {3, 2100}, {1500, 3}} do
        local x = (tide.randn(shape) * 3):to(dtype == "bool" and "int32" or dtype):to(dtype)
        for dim = 1, #shape do
          test.identical(x:cuda():cumsum(dim):cpu(), x:cumsum(dim))
          test.identical(x:cuda():cumprod(dim):cpu(), x:cumprod(dim))
        end
      end
    end)
  end
end)
