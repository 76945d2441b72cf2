-- Linear algebra on a CUDA device, with kernels for small matrices and the host for large ones: the cpu's results, up
-- to rounding, and the same failures.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local L = tide.linalg

local kLargest = 256  -- maximum rows and columns for the device
local kSizes = {0, 1, 2, 3, 5, 17, 33, 64}
local kShapes = {{1, 4}, {3, 5}, {5, 3}, {7, 40}, {40, 7}, {33, 64}, {64, 33}, {0, 3}, {3, 0}}
for _, n in ipairs(kSizes) do kShapes[#kShapes + 1] = {n, n} end
local kEpsilon = {float32 = 2 ^ -23, float64 = 2 ^ -52}

--- A matrix with singular values near 1 and unordered pivots; `leading` sizes are prepended.
local function matrix(dtype, rows, columns, leading)
  local size = math.max(rows, columns, 1)
  local x = tide.eye(size, {dtype = "float64"}):narrow(1, 1, rows):narrow(2, 1, columns)
  x = x + tide.randn({rows, columns}, {dtype = "float64"}) * (0.3 / size ^ 0.5)
  if rows > 0 then x = x:index_select(1, tide.randperm(rows)) end
  if leading then
    local shape = {}
    for i, n in ipairs(leading) do shape[i] = n end
    local scale = tide.rand(shape, {dtype = "float64"}):unsqueeze(-1):unsqueeze(-1) + 0.5
    x = x * scale
  end
  return x:to(dtype)
end

local function positive(dtype, n, leading)
  local x = matrix("float64", n, n, leading)
  return (x:matmul(x:transpose(-2, -1)) + tide.eye(n, {dtype = "float64"})):to(dtype)
end

--- The same values, stored in other ways.
local function layouts(x)
  local rank = #x.shape
  local columns = x:transpose(-2, -1):contiguous():transpose(-2, -1)
  local wide = tide.stack({x, x + 1}, rank + 1):select(rank + 1, 1)
  local reversed = tide.stack({x, x}, 1)
  return {x, columns, wide, reversed}
end

--- Equal up to rounding of about `size` operations.
local function near(got, expected, dtype, size)
  local tolerance = 16 * kEpsilon[dtype] * (size + 2)
  test.close(got:cpu(), expected, {rtol = tolerance, atol = tolerance})
end

local function largest_size(x) return math.max(x.shape[#x.shape], x.shape[#x.shape - 1]) end

--- fn(x, ...) returns the same results on both devices.
local function same(dtype, fn, ...)
  local here, there, size = {...}, {}, 1
  for i, x in ipairs(here) do
    there[i] = x:cuda()
    if #x.shape > 1 then size = math.max(size, largest_size(x)) end
  end
  local expected, got = {fn(table.unpack(here))}, {fn(table.unpack(there))}
  for i, x in ipairs(expected) do
    test.equal(got[i].device, tide.device("cuda"))
    if x.dtype:find("int") then
      test.equal(got[i]:cpu(), x)
    else
      near(got[i], x, dtype, size)
    end
  end
  return table.unpack(got)
end

for _, dtype in ipairs {"float32", "float64"} do
  describe("on cuda, in " .. dtype .. ",", function()
    test.before_each(function() tide.manual_seed(11) end)

    it("lu has the cpu's pivots and factors", function()
      for _, shape in ipairs(kShapes) do
        local a = matrix(dtype, shape[1], shape[2])
        local p, l, u = same(dtype, L.lu, a)
        near(p:matmul(l):matmul(u), a, dtype, largest_size(a))
        same(dtype, function(x) return L.lu_factor_ex(x) end, a)
      end
    end)

    it("qr has the cpu's signs", function()
      for _, shape in ipairs(kShapes) do
        local a = matrix(dtype, shape[1], shape[2])
        for _, mode in ipairs {"reduced", "complete"} do
          local q, r = L.qr(a:cuda(), mode)
          local q_here, r_here = L.qr(a, mode)
          near(r, r_here, dtype, largest_size(a))
          -- Columns that complete a basis also follow from the reflections.
          near(q, q_here, dtype, largest_size(a))
          near(q:matmul(r), a, dtype, largest_size(a))
          near(q:t():matmul(q), tide.eye(q.shape[2], {dtype = dtype}), dtype, largest_size(a))
          test.same_type(r:tril(-1):abs():sum():item(), 0.0)
        end
      end
    end)

    it("qr does not change an identity matrix and zeros", function()
      for _, x in ipairs {tide.eye(4, {dtype = dtype}), tide.zeros(3, 2, {dtype = dtype})} do
        for i, factor in ipairs {L.qr(x:cuda(), "complete")} do
          test.identical(factor:cpu(), (select(i, L.qr(x, "complete"))))
        end
      end
    end)

    it("qr and lu support values whose squares overflow or underflow", function()
      for _, scale in ipairs(dtype == "float32" and {1e25, 1e-30} or {1e200, 1e-250}) do
        local a = (matrix("float64", 6, 4) * scale):to(dtype)
        local q, r = L.qr(a:cuda())
        local q_here, r_here = L.qr(a)
        near(q, q_here, dtype, 6)
        near(r / scale, r_here / scale, dtype, 6)
        near(L.lu_factor(a:cuda()) / scale, L.lu_factor(a) / scale, dtype, 6)
      end
    end)

    it("cholesky reads the lower triangle", function()
      for _, n in ipairs(kSizes) do
        local a = positive(dtype, n)
        local l = same(dtype, L.cholesky, a:tril() + tide.full({n, n}, 7, {dtype = dtype}):triu(1))
        near(l:matmul(l:t()), a, dtype, n)
        same(dtype, function(x) return L.cholesky(x, true) end, a)
        same(dtype, L.cholesky_ex, a)
      end
    end)

    it("systems are solved", function()
      for _, n in ipairs(kSizes) do
        for _, columns in ipairs(n < 30 and {0, 1, 3, 33, 70} or n < 64 and {1, 33} or {3}) do
          local a, b = matrix(dtype, n, n), tide.randn(n, columns):to(dtype)
          local x = same(dtype, L.solve, a, b)
          near(a:cuda():matmul(x), b, dtype, 8 * n)
          if n < 64 then same(dtype, function(s, t) return L.solve(s, t, false) end, a, b:t()) end
        end
        same(dtype, L.solve, matrix(dtype, n, n), tide.randn(n):to(dtype))
        same(dtype, L.inv, matrix(dtype, n, n))
        same(dtype, L.det, matrix(dtype, n, n))
      end
    end)

    it("triangular systems are solved", function()
      for _, n in ipairs(kSizes) do
        local a = tide.eye(n, {dtype = dtype}) * 1.5 + matrix(dtype, n, n) * (1 / (n + 1))
        for _, columns in ipairs(n < 64 and {1, 5, 34} or {34}) do
          local b = tide.randn(n, columns):to(dtype)
          for _, upper in ipairs {true, false} do
            for _, unit in ipairs {true, false} do
              same(dtype, function(s, t) return L.solve_triangular(s, t, upper, true, unit) end, a, b)
              same(dtype, function(s, t) return L.solve_triangular(s, t, upper, false, unit) end, a, b:t())
            end
          end
        end
      end
    end)

    it("stacks may be stored in any way", function()
      local stack, right = matrix(dtype, 5, 5, {2, 3}), tide.randn(2, 3, 5, 2):to(dtype)
      for _, a in ipairs(layouts(stack)) do
        same(dtype, L.lu_factor, a)
        same(dtype, L.qr, a)
        same(dtype, L.inv, a)
        same(dtype, L.cholesky, positive(dtype, 5, {2, 3}))
        for _, b in ipairs(layouts(right)) do
          same(dtype, L.solve, a, b)
          same(dtype, function(s, t) return L.solve_triangular(s, t, true) end, a, b)
        end
      end
      for _, a in ipairs(layouts(positive(dtype, 5, {2, 3}))) do same(dtype, L.cholesky, a) end
      for _, a in ipairs(layouts(matrix(dtype, 7, 4, {3, 2}))) do
        same(dtype, L.qr, a)
        same(dtype, function(x) return L.qr(x, "complete") end, a)
        same(dtype, L.lu, a)
      end
    end)

    it("stacks are broadcast", function()
      local a, b = matrix(dtype, 4, 4, {3, 1}), tide.randn(2, 4, 3):to(dtype)
      same(dtype, L.solve, a, b)
      same(dtype, L.solve, a[1][1], b)
      same(dtype, L.solve, a, b[1])
      same(dtype, function(s, t) return L.solve_triangular(s, t, false) end, a, b)
      same(dtype, L.inv, a[1][1]:expand(2, 3, 4, 4))
      same(dtype, L.cholesky, positive(dtype, 4):expand(3, 4, 4))
      same(dtype, L.qr, matrix(dtype, 3, 4):expand(2, 3, 4))
    end)

    it("a matrix has the same bits in any stack", function()
      for _, n in ipairs {3, 33} do
        local alone = matrix(dtype, n, n):cuda()
        local stack = tide.cat({matrix(dtype, n, n, {2}):cuda(), alone:unsqueeze(1)}, 1)
        test.identical(L.inv(stack)[3]:cpu(), L.inv(alone):cpu())
        local q, r = L.qr(stack)
        local own_q, own_r = L.qr(alone)
        test.identical(q[3]:cpu(), own_q:cpu())
        test.identical(r[3]:cpu(), own_r:cpu())
      end
    end)

    it("gradients agree", function()
      local function gradient(fn, x, device)
        local leaf = x:to(device):detach():requires_grad_()
        fn(leaf):sin():sum():backward()
        return leaf.grad
      end
      local b = tide.randn(2, 4, 3):to(dtype)
      local ways = {
        function(x) return L.solve(x, b:to(x.device)) end,
        L.inv, L.det,
        function(x) return L.cholesky(x:matmul(x:transpose(-2, -1)) + tide.eye(4, {dtype = dtype, device = x.device})) end,
        function(x) local q, r = L.qr(x) return q:matmul(r:cos()) end,
        function(x) local _, l, u = L.lu(x) return l:matmul(u:cos()) end,
        function(x) return L.solve_triangular(x + 3 * tide.eye(4, {dtype = dtype, device = x.device}), b:to(x.device), false) end,
        function(x) return (select(2, L.slogdet(x))) end,
      }
      for _, fn in ipairs(ways) do
        local x = matrix(dtype, 4, 4, {2})
        near(gradient(fn, x, "cuda"), gradient(fn, x, "cpu"), dtype, 100)
      end
    end)

    it("the largest matrices, and larger ones, which the host computes", function()
      for _, n in ipairs {kLargest, kLargest + 1} do
        same(dtype, L.qr, matrix(dtype, n, 3))
        same(dtype, L.qr, matrix(dtype, 2, n))
        same(dtype, L.lu, matrix(dtype, n, 3))
        same(dtype, L.lu_factor, matrix(dtype, 3, n))
        local a = tide.eye(n, {dtype = dtype}) + matrix(dtype, n, n) * (1 / n)
        same(dtype, function(s, t) return L.solve_triangular(s, t, true) end, a, tide.randn(n, 1):to(dtype))
      end
      same(dtype, L.inv, matrix(dtype, kLargest + 1, kLargest + 1))
      same(dtype, L.cholesky, positive(dtype, kLargest + 1))
    end)
  end)
end

describe("on cuda", function()
  --- The error message of fn(x) on each device.
  local function failures(fn, x)
    local texts = {}
    for i, device in ipairs {"cpu", "cuda"} do
      local there = x:to(device)
      local ok, message = pcall(function() return tide.sum(fn(there)):item() end)
      assert(not ok, "no failure on " .. device)
      texts[i] = message
    end
    return texts[1], texts[2]
  end

  local function same_failure(expected, fn, x)
    local here, there = failures(fn, x)
    assert(here:find(expected, 1, true), here)
    test.equal(there, here)
  end

  it("a stack may have more matrices than blocks", function()
    local count = 2100  -- the fake device holds 2048 blocks of this size
    local a = matrix("float64", 2, 2, {count})
    same("float64", L.lu_factor, a)
    same("float64", L.qr, a:narrow(3, 1, 1))
    same("float64", L.cholesky, positive("float64", 2, {count}))
    same("float64", function(s, b) return L.solve_triangular(s, b, true) end, a:triu() + 2, a)
  end)

  it("the first of equal magnitudes is the pivot", function()
    for _, rows in ipairs {
      {{1.0, 2}, {-1, 3}, {1, 5}}, {{0.0, 1}, {-2, 4}, {2, 1}}, {{0.0, 0}, {0, 0}, {0, 1}}, {{1.0, 0}, {-4, 2}, {4, 2}},
    } do
      local a = tide.tensor(rows)
      local lu, pivots, info = L.lu_factor_ex(a:cuda())
      local lu_here, pivots_here, info_here = L.lu_factor_ex(a)
      test.equal(pivots:cpu(), pivots_here)
      test.equal(info:cpu(), info_here)
      test.close(lu:cpu(), lu_here)
    end
  end)

  it("a nan propagates, and is not a failure", function()
    local nan = 0 / 0
    local a = tide.tensor({{nan, 1}, {2, 3}}, {device = "cuda"})
    -- If the host computes instead, the pivot row and cholesky depend on its library.
    for _, x in ipairs {(L.lu_factor(a)):sum(), L.det(a), L.inv(a):sum(), (L.qr(a)):sum()} do
      test.is_true(x:isnan():item())
    end
  end)

  it("singular matrices fail with the cpu's message", function()
    local singular = tide.tensor {{1.0, 2, 3}, {2, 4, 6}, {1, 1, 1}}
    same_failure("linalg.inv: the matrix is singular: pivot 3 is zero", L.inv, singular)
    local stack = tide.eye(3):expand(4, 3, 3):clone()
    stack[2] = singular
    stack[4] = tide.zeros(3, 3)
    same_failure("matrix 2 of the stack is singular: pivot 3 is zero", L.inv, stack)
    same_failure("linalg.lu_factor: ", function(x) return (L.lu_factor(x)) end, stack)
    same_failure("linalg.solve: matrix 2 of the stack", function(x) return L.solve(x, x) end, stack)
    test.equal(L.det(stack:cuda()):cpu(), L.det(stack))
  end)

  it("matrices without a Cholesky factor fail with the cpu's message, or are named", function()
    local wrong = tide.tensor {{4.0, 2}, {2, 1}}
    same_failure("cholesky: the matrix is not positive-definite: its leading part of size 2 is not", L.cholesky, wrong)
    local stack = tide.stack({tide.eye(2), -tide.eye(2), wrong}, 1)
    same_failure("matrix 2 of the stack is not positive-definite: its leading part of size 1", L.cholesky, stack)
    local l, info = L.cholesky_ex(stack:cuda())
    test.same_type(info:tolist(), {0, 1, 2})
    test.same_type(l[1]:tolist(), {{1.0, 0.0}, {0.0, 1.0}})
    test.same_type(select(2, L.cholesky_ex(tide.zeros(3, 0, 0, {device = "cuda"}))):tolist(), {0, 0, 0})
  end)

  it("a failure affects only what is computed from it", function()
    local x = tide.zeros(3, 3, {device = "cuda"})
    local good = tide.eye(3, {device = "cuda"}) * 2
    local lost = L.inv(x)
    local inverse = L.inv(good)
    local sum = lost + inverse
    test.same_type(inverse:sum():item(), 1.5)
    test.raises("linalg.inv: the matrix is singular: pivot 1 is zero", function() return sum:sum():item() end)
    test.raises("linalg.inv: the matrix is singular: pivot 1 is zero", function() return lost:sum():item() end)
  end)

  it("pivots order rows, and wrong ones are named", function()
    local lu = tide.eye(3):expand(2, 3, 3)
    local function unpack(pivots)
      return function(x) return (tide.lu_unpack(x, pivots:to(x.device))) end
    end
    local pivots = tide.tensor({{2, 3, 3}, {3, 2, 3}}, {dtype = "int32"})
    test.equal(unpack(pivots)(lu:cuda()):cpu(), unpack(pivots)(lu))
    for _, wrong in ipairs {{{2, 4, 3}, {3, 0, 9}}, {{1, 2, 3}, {3, -1, 9}}} do
      same_failure("a pivot is ", unpack(tide.tensor(wrong, {dtype = "int32"})), lu)
    end
  end)
end)

describe("binary functions on cuda", function()
  local function same_bits(fn, a, b)
    test.identical(fn(a:cuda(), b:cuda()):cpu(), fn(a, b))
    test.identical(fn(a:cuda():t(), b:cuda():t()):cpu(), fn(a:t(), b:t()))
    test.identical(fn(a:cuda()[{{}, {1, 1}}], b:cuda()):cpu(), fn(a[{{}, {1, 1}}], b))
  end

  for _, dtype in ipairs {"int64", "int32", "int16", "int8", "uint8"} do
    it("gcd and lcm in " .. dtype, function()
      tide.manual_seed(5)
      local bits = tonumber(dtype:match("%d+"))
      local least = dtype == "uint8" and 0 or -(1 << (bits - 1))
      local a = (tide.rand(20, 30, {dtype = "float64"}) * 250):to("int64"):to(dtype)
      local b = (tide.rand(20, 30, {dtype = "float64"}) * 120 - 60):to("int64"):to(dtype)
      a[1][1], a[1][2], b[1][3], b[1][2], a[2][2], b[2][2] = least, least, least, least, 0, 0
      same_bits(tide.gcd, a, b)
      same_bits(tide.lcm, a, b)
    end)
  end

  for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16"} do
    it("nextafter in " .. dtype, function()
      tide.manual_seed(6)
      local corners = {0.0, -0.0, 1, -1, 1 / 0, -1 / 0, 0 / 0, 2 ^ -24, -2 ^ -14, 65504, 2 ^ 127, 2 ^ -149, 2.0}
      local a = tide.tensor(corners, {dtype = "float64"}):to(dtype):unsqueeze(2):expand(#corners, #corners)
      same_bits(tide.nextafter, a, a:t())
      local x = tide.randn(20, 30):to(dtype)
      same_bits(tide.nextafter, x, tide.randn(20, 30):to(dtype))
      test.equal(x:nextafter(x):cuda():cpu(), x)
    end)
  end
end)
