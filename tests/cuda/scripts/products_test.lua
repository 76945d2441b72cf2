-- Products on a CUDA device: how exact they are is the script's choice, for those recorded from then on.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.equal, test.raises

describe("the precision of float32 products", function()
  local fine = 1 + 2 ^ -12 -- TF32 has 10 bits behind the point
  local a, unit = tide.full({16, 16}, fine, {device = "cuda"}), tide.eye(16, {device = "cuda"})

  it("is exact unless it was lowered before the product was recorded", function()
    local exact = a:matmul(unit)
    tide.set_float32_matmul_precision("high")
    local rounded = a:matmul(unit)
    tide.set_float32_matmul_precision("highest")
    local again = a:matmul(unit)
    equal(exact:min():item(), fine)
    equal(rounded:max():item(), 1.0)
    equal(again:min():item(), fine)
  end)

  it("is set by name and belongs to the program", function()
    tide.set_float32_matmul_precision("medium")
    equal(coroutine.wrap(tide.get_float32_matmul_precision)(), "medium")
    raises("expected highest, high or medium, got exact", tide.set_float32_matmul_precision, "exact")
    raises("expected highest, high or medium, got no value", tide.set_float32_matmul_precision)
    equal(tide.get_float32_matmul_precision(), "medium")
    tide.set_float32_matmul_precision("highest")
  end)

  it("is the same on the cpu whatever was set", function()
    tide.set_float32_matmul_precision("medium")
    local product = a:cpu():matmul(unit:cpu())
    tide.set_float32_matmul_precision("highest")
    equal(product:min():item(), fine)
  end)
end)
