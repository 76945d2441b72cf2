-- The two types of eight bits: their values, supported ops, and matmuls with scales.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local kTypes <const> = {"float8_e4m3fn", "float8_e5m2"}

describe("float8", function(device)
  local function numbers(values, dtype) return tide.tensor(values, {dtype = dtype, device = device}) end

  it("has PyTorch's values", function()
    local x = {0.1, -3.3, 17, 100, 448, 464, 465, 1e6, 1e-3, -2 ^ -10, 2 ^ -10 * 1.01, -0.0}
    equal(numbers(x, "float8_e4m3fn"):float():tolist(),
      {0.1015625, -3.25, 16.0, 96.0, 448.0, 448.0, 0 / 0, 0 / 0, 0.001953125, -0.0, 0.001953125, -0.0})
    equal(numbers(x, "float8_e5m2"):float():tolist(),
      {0.09375, -3.5, 16.0, 96.0, 448.0, 448.0, 448.0, math.huge, 2 ^ -10, -2 ^ -10, 2 ^ -10, -0.0})
    equal(numbers({math.huge, -math.huge, 0 / 0}, "float8_e4m3fn"):isnan():tolist(), {true, true, true})
    equal(numbers({math.huge, -math.huge, 0 / 0}, "float8_e5m2"):double():tolist(), {math.huge, -math.huge, 0 / 0})
    equal(tide.finfo("float8_e4m3fn").max, 448.0)
    equal({tide.finfo("f8e5m2").max, tide.finfo("f8e5m2").tiny}, {57344.0, 2.0 ^ -14})
  end)

  it("is rounded after each op, and once", function()
    for _, dtype in ipairs(kTypes) do
      local x = tide.linspace(-3, 3, 50, {device = device}):to(dtype)
      local y = x * 3 + x / 7
      local by_hand = ((x:float() * 3):to(dtype):float() + (x:float() / 7):to(dtype):float()):to(dtype)
      equal(y.dtype, dtype)
      equal(y:float():tolist(), by_hand:float():tolist())
      equal(x:sum().dtype, dtype)
      equal(x:sum():float():item(), x:float():sum():to(dtype):float():item())
      equal(x:amax():float():item(), x:float():amax():item())
    end
  end)

  it("is promoted to other types, and to float16 with each other", function()
    local a, b = numbers({1}, "float8_e4m3fn"), numbers({1}, "float8_e5m2")
    equal((a + b).dtype, "float16")
    equal((a + numbers({1}, "bfloat16")).dtype, "bfloat16")
    equal((a + numbers({1}, "float32")).dtype, "float32")
    equal((a + numbers({1}, "int64")).dtype, "float8_e4m3fn")
    equal((a + 2.5).dtype, "float8_e4m3fn")
    equal(tide.result_type(a, b), "float16")
  end)

  it("can be moved, gathered, joined, written and drawn", function()
    for _, dtype in ipairs(kTypes) do
      local x = numbers({{1, 2, 3, 4}, {5, 6, 7, 8}, {10, 12, 14, 16}}, dtype)
      equal(x:index_select(2, tide.tensor({4, 1}, {device = device})):long():tolist(), {{4, 1}, {8, 5}, {16, 10}})
      equal(tide.cat({x[1], x[3]}):long():tolist(), {1, 2, 3, 4, 10, 12, 14, 16})
      x[{2, 3}] = 100.5
      x[1] = numbers({1, 1, 2, 2}, dtype)
      equal(x:long():tolist(), {{1, 1, 2, 2}, {5, 6, dtype == "float8_e5m2" and 96 or 104, 8}, {10, 12, 14, 16}})
      equal(x:t():contiguous():long():tolist()[3], {2, dtype == "float8_e5m2" and 96 or 104, 14})
      equal(x:gt(5):sum():item(), 7)
      local drawn = tide.rand({2000}, {dtype = dtype, device = device})
      test.is_true(drawn:lt(1):all():item())
      test.is_true(tide.empty({5000}, {dtype = dtype, device = device}):exponential_(1000):gt(0):all():item())
    end
  end)

  it("has the gradient of its conversion", function()
    local x = tide.tensor({1.1, 2.2}, {device = device, requires_grad = true})
    local y = x:to("float8_e4m3fn"):float() * 3
    y:sum():backward()
    equal(x.grad:tolist(), {3.0, 3.0})
  end)

  it("is rejected by other ops", function()
    local x = tide.ones({4, 4}, {dtype = "float8_e4m3fn", device = device})
    raises("sort: does not take float8_e4m3fn: convert it with :to(\"float32\")", function() return x:sort() end)
    raises("cumsum: does not take float8_e4m3fn", function() return x:cumsum(1) end)
    raises("matmul: float8_e4m3fn is multiplied with its scales: tide.scaled_mm", function() return x:matmul(x) end)
    raises("linear: float8_e4m3fn is multiplied with its scales", function() return tide.nn.functional.linear(x, x) end)
  end)
end)

describe("scaled_mm", function(device)
  --- Integers that are exact in each type, so that sums are too.
  local function factor(seed, rows, columns, dtype)
    tide.manual_seed(seed)
    return tide.randint(-3, 3, {rows, columns}):to(device):to(dtype)
  end
  local function product(a, b) return a:double():cpu():matmul(b:double():cpu()) end

  it("multiplies any sizes, in all result types", function()
    for _, sizes in ipairs {{16, 32, 48}, {5, 48, 16}, {3, 7, 5}, {1, 1, 1}, {33, 64, 17}} do
      local m, k, n = table.unpack(sizes)
      for _, types in ipairs {{1, 1}, {1, 2}, {2, 1}} do
        local a, b = factor(1, m, k, kTypes[types[1]]), factor(2, k, n, kTypes[types[2]])
        local expected = product(a, b) * 0.125
        for _, out_dtype in ipairs {"bfloat16", "float16", "float32"} do
          local y = tide.scaled_mm(a, b, 0.5, tide.tensor(0.25, {device = device}), {out_dtype = out_dtype})
          equal(y, expected:to(out_dtype):to(device))
        end
        equal(tide.scaled_mm(a, b:t():contiguous():t(), 0.5, 0.25), expected:to("bfloat16"):to(device))
      end
    end
  end)

  it("accepts scales of rows and columns, and a bias", function()
    for _, k in ipairs {16, 9} do
      local a, b = factor(3, 5, k, "float8_e4m3fn"), factor(4, k, 32, "float8_e4m3fn")
      local rows = tide.tensor({{1}, {2}, {0.5}, {4}, {8}}, {device = device})
      local columns = (tide.arange(1, 33, {device = device}) % 3 + 1):float():reshape(1, 32)
      local bias = tide.arange(1, 33, {device = device})
      local sums = product(a, b):to(device)
      for _, out_dtype in ipairs {"bfloat16", "float32"} do
        local of_type = bias:to(out_dtype)
        equal(tide.scaled_mm(a, b, rows, columns, of_type, out_dtype), (sums * rows * columns + bias):to(out_dtype))
        equal(tide.scaled_mm(a, b, 2, 0.5, {bias = of_type, out_dtype = out_dtype}), (sums + bias):to(out_dtype))
      end
    end
  end)

  it("accepts views with any offset, and empty matrices", function()
    local a, b = factor(5, 20, 40, "float8_e4m3fn"), factor(6, 40, 40, "float8_e5m2")
    local left, right = a[{{2, 9}, {4, 35}}], b[{{3, 34}, {2, 33}}]
    equal(tide.scaled_mm(left, right, 1, 1, {out_dtype = "float32"}), product(left, right):to("float32"):to(device))
    equal(tide.scaled_mm(left:t(), right:t()[{{1, 8}, {1, 16}}], 1, 1).shape, {32, 16})
    equal(tide.scaled_mm(a[{{}, {1, 16}}]:narrow(1, 1, 0), b[{{1, 16}}], 1, 1).shape, {0, 40})
    equal(tide.scaled_mm(a:narrow(2, 1, 0), b:narrow(1, 1, 0), 1, 1):float():abs():max():item(), 0.0)
  end)

  it("reports mismatches", function()
    local a, b = factor(7, 2, 16, "float8_e4m3fn"), factor(8, 16, 32, "float8_e5m2")
    raises("expected float8_e4m3fn or float8_e5m2, got float32", function()
      return tide.scaled_mm(a:float(), b, 1, 1)
    end)
    raises("two matrices of float8_e5m2", function() return tide.scaled_mm(a:to("float8_e5m2"), b, 1, 1) end)
    raises("inner sizes differ: (2, 16) x (2, 16)", function() return tide.scaled_mm(a, a, 1, 1) end)
    raises("scale_a must be one number or (2, 1), one for each row", function()
      return tide.scaled_mm(a, b, tide.ones({1, 2}, {device = device}), 1)
    end)
    raises("scale_b must be float32, got float64", function()
      return tide.scaled_mm(a, b, 1, tide.ones({1}, {dtype = "float64", device = device}))
    end)
    raises("out_dtype must be bfloat16, float16 or float32, got int8", function()
      return tide.scaled_mm(a, b, 1, 1, {out_dtype = "int8"})
    end)
    raises("float32", function() return tide.scaled_mm(a, b, 1, 1, tide.ones({32}, {device = device})) end)
    raises("has no gradient", function()
      return tide.scaled_mm(a, b, tide.tensor(1.0, {device = device, requires_grad = true}), 1)
    end)
  end)
end)

describe("files and other programs", function()
  it("support float8", function()
    local path = os.tmpname() .. ".safetensors"
    local saved = {}
    for _, dtype in ipairs(kTypes) do saved[dtype] = tide.linspace(-2, 2, 9):to(dtype) end
    tide.save(path, saved)
    local loaded = tide.load(path)
    for _, dtype in ipairs(kTypes) do
      equal(loaded[dtype].dtype, dtype)
      equal(loaded[dtype]:float():tolist(), saved[dtype]:float():tolist())
    end
    os.remove(path)
  end)
end)
