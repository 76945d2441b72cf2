-- Products on a CUDA device: the script chooses their precision, which applies to products recorded later.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

describe("the precision of float32 products", function()
  local fine = 1 + 2 ^ -12 -- TF32 has a fraction of 10 bits
  local a, unit = tide.full({16, 16}, fine, {device = "cuda"}), tide.eye(16, {device = "cuda"})

  it("is exact unless lowered before the product was recorded", function()
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
    raises("argument 1 (precision): expected string, got nothing", tide.set_float32_matmul_precision)
    equal(tide.get_float32_matmul_precision(), "medium")
    tide.set_float32_matmul_precision("highest")
  end)

  it("does not affect the cpu", function()
    tide.set_float32_matmul_precision("medium")
    local product = a:cpu():matmul(unit:cpu())
    tide.set_float32_matmul_precision("highest")
    equal(product:min():item(), fine)
  end)
end)

describe("products of int8 and uint8", function()
  --- Operands with all byte values, and their product with int32 sums on the cpu.
  local function bytes(seed, ...)
    return tide.randint(-128, 127, {...}, {dtype = "int8", generator = tide.Generator():manual_seed(seed)})
  end

  local function check_sums(a, b)
    local sums = a:matmul(b, {out_dtype = "int32"})
    equal(a:cuda():matmul(b:cuda(), {out_dtype = "int32"}):cpu(), sums)
    return sums
  end

  local function check(a, b)
    local sums = check_sums(a, b)
    equal(a:cuda():matmul(b:cuda()):cpu(), sums:to("int8"))
    equal(a:cuda():to("uint8"):matmul(b:cuda():to("uint8")):cpu(), sums:to("uint8"))
  end

  it("are exact and wrap around, for any strides", function()
    check(bytes(1, 128, 128), bytes(2, 128, 128))
    check(bytes(1, 128, 128), bytes(2, 128, 128):t())
    check(bytes(3, 144, 132):t(), bytes(4, 144, 136))
  end)

  it("support sizes that the library does not, and stacks", function()
    check(bytes(5, 129, 131), bytes(6, 131, 127))
    check(bytes(7, 2, 128, 129), bytes(8, 1, 129, 130))
    check_sums(bytes(16, 128, 128), bytes(17, 2, 128, 128))
    check(bytes(9, 3, 5), bytes(10, 5, 2))
  end)

  it("are divided into parts that fit the workspace", function()
    check_sums(bytes(11, 3, 65536), bytes(12, 65536, 130))
    check_sums(bytes(18, 3, 65537), bytes(19, 65537, 20))
    check_sums(bytes(20, 20, 65537), bytes(21, 65537, 4))
  end)

  it("use tide's own kernel if sums may overflow int32", function()
    check_sums(tide.full({2, 140000}, -128, {dtype = "int8"}), tide.full({140000, 8}, -128, {dtype = "int8"}))
  end)

  it("include their bias", function()
    local x, w, bias = bytes(13, 132, 128), bytes(14, 136, 128), bytes(15, 136)
    local F = tide.nn.functional
    equal(F.linear(x:cuda(), w:cuda(), bias:cuda()):cpu(), F.linear(x, w, bias))
  end)
end)

describe("products of views", function()
  local F = tide.nn.functional
  for _, dtype in ipairs {"float32", "float16"} do
    local tolerance = {rtol = dtype == "float16" and 2e-3 or 1e-5, atol = dtype == "float16" and 1e-2 or 1e-5}

    it("support an unaligned bias: " .. dtype, function()
      tide.manual_seed(1)
      local x, w, pack = tide.randn(4, 16):to(dtype), tide.randn(8, 16):to(dtype), tide.randn(16):to(dtype)
      for first = 1, 5 do
        local part = {{first, first + 7}}
        test.close(F.linear(x:cuda(), w:cuda(), pack:cuda()[part]):cpu(), F.linear(x, w, pack[part]), tolerance)
      end
    end)

    it("support stacks of unaligned matrices: " .. dtype, function()
      tide.manual_seed(2)
      local a, b = tide.randn(3 * 33):to(dtype), tide.randn(3 * 41):to(dtype)
      local function product(x, y)
        return x:as_strided({3, 4, 8}, {33, 8, 1}):matmul(y:as_strided({3, 8, 5}, {41, 5, 1}))
      end
      test.close(product(a:cuda(), b:cuda()):cpu(), product(a, b), tolerance)
    end)
  end
end)
