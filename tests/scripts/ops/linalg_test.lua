-- Linear algebra: the defining property of each decomposition, gradients compared with finite differences, second
-- derivatives, stacks, views and errors.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local check_gradient = dofile(here .. "/../support/gradient.lua")
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local linalg = tide.linalg
local tight = {rtol = 1e-9, atol = 1e-9}

--- Numbers without a pattern, the same in every run; square matrices are well-conditioned.
local function matrix(device, ...)
  local shape, count = {...}, 1
  for _, size in ipairs(shape) do count = count * size end
  local iota = tide.arange(count, {dtype = "float64"})
  local x = (iota * iota * 0.37 + iota * 1.3 + 0.2):sin():reshape(shape)
  local rows, columns = shape[#shape - 1], shape[#shape]
  if rows == columns then x = x + tide.eye(rows, {dtype = "float64"}) * 1.5 end
  return x:to(device)
end

--- Symmetric, with distinct positive eigenvalues.
local function positive(device, n)
  local x = matrix(device, n, n)
  local iota = tide.range(1, n, {dtype = "float64", device = device})
  return x:matmul(x:t()) + tide.diag(iota)
end

local function product(...)
  local result
  for _, factor in ipairs {...} do result = result and result:matmul(factor) or factor end
  return result
end

local function same_as_eye(x, n)
  close(x, tide.eye(n, {dtype = "float64"}), {rtol = 1e-9, atol = 1e-9})
end

describe("decompositions", function(device)
  it("multiply back to the matrix, alone and in stacks", function()
    for _, shape in ipairs {{4, 4}, {5, 3}, {3, 5}, {2, 3, 4, 3}} do
      local a = matrix(device, table.unpack(shape))
      local q, r = linalg.qr(a)
      close(product(q, r), a, tight)
      local u, s, vh = linalg.svd(a, {full_matrices = false})
      close(product(u * s:unsqueeze(-2), vh), a, tight)
      close(linalg.svdvals(a), s, tight)
      local p, l, upper = linalg.lu(a)
      close(product(p, l, upper), a, tight)
    end
  end)
  it("have orthogonal and triangular factors", function()
    local a = matrix(device, 5, 3)
    local q, r = linalg.qr(a, "complete")
    equal({q.shape, r.shape}, {{5, 5}, {5, 3}})
    same_as_eye(q:t():matmul(q), 5)
    close(r, r:triu())
    local u, s, vh = linalg.svd(a)
    equal({u.shape, s.shape, vh.shape}, {{5, 5}, {3}, {3, 3}})
    same_as_eye(u:t():matmul(u), 5)
    same_as_eye(vh:matmul(vh:t()), 3)
    test.is_true(s[1]:item() >= s[2]:item() and s[2]:item() >= s[3]:item())
    local only_r = select(2, linalg.qr(a, "r"))
    close(only_r:abs(), (select(2, linalg.qr(a))):abs(), tight)
  end)
  it("of symmetric matrices compute ascending eigenvalues from one triangle", function()
    local a = positive(device, 4)
    local w, v = linalg.eigh(a)
    close(product(v, tide.diag(w), v:t()), a, tight)
    close(w:sort(), w)
    close(linalg.eigvalsh(a:tril()), w, tight)
    close(linalg.eigvalsh(a:triu(), "U"), w, tight)
    local l = linalg.cholesky(a)
    close(product(l, l:t()), a, tight)
    close(linalg.cholesky(a, {upper = true}), l:t(), tight)
  end)
  it("read views with any strides", function()
    local a = matrix(device, 6, 8)[{{1, -1, 2}, {2, -1, 3}}]:t()
    local q, r = linalg.qr(a)
    close(product(q, r), a, tight)
    close(linalg.inv(matrix(device, 4, 4):t()), linalg.inv(matrix(device, 4, 4)):t(), tight)
  end)
  it("accept float32, and reject types that LAPACK does not support", function()
    equal(linalg.inv(matrix(device, 3, 3):float()).dtype, "float32")
    raises("expected float32 or float64, got float16", linalg.inv, matrix(device, 3, 3):half())
    raises("expected float32 or float64, got int64", linalg.svd, matrix(device, 3, 3):long())
  end)
  it("have the same bits with any number of threads", function()
    local threads = tide.get_num_threads()
    local a = matrix(device, 12, 9, 9)
    local function all()
      local u, s, vh = linalg.svd(a)
      return tide.cat({linalg.inv(a):flatten(), u:flatten(), s:flatten(), vh:flatten()})
    end
    tide.set_num_threads(1)
    local alone = all():clone()
    tide.set_num_threads(2)
    test.identical(all(), alone)
    tide.set_num_threads(threads)
  end)
  it("of empty matrices are empty", function()
    local none = tide.zeros({0, 0}, {dtype = "float64", device = device})
    close(linalg.det(none), 1.0)
    equal(linalg.inv(none).shape, {0, 0})
    local u, s = linalg.svd(tide.zeros({3, 0}, {dtype = "float64", device = device}))
    equal({u.shape, s.shape}, {{3, 3}, {0}})
    same_as_eye(u, 3)
  end)
end)

describe("solvers", function(device)
  it("solve from the left and from the right, vectors and stacks", function()
    local a, b = matrix(device, 2, 3, 3), matrix(device, 3, 2)
    close(product(a, linalg.solve(a, b)), b:expand(2, 3, 2), tight)
    local rows = matrix(device, 4, 3)
    close(product(linalg.solve(a, rows, {left = false}), a), rows:expand(2, 4, 3), tight)
    local one = matrix(device, 3, 3)
    close(one:mv(linalg.solve(one, rows[1])), rows[1], tight)
    same_as_eye(product(one, linalg.inv(one)), 3)
  end)
  it("solve with factors", function()
    local a, b = matrix(device, 4, 4), matrix(device, 4, 3)
    local lu, pivots = linalg.lu_factor(a)
    equal(pivots.dtype, "int32")
    close(product(a, linalg.lu_solve(lu, pivots, b)), b, tight)
    close(product(a:t(), linalg.lu_solve(lu, pivots, b, {adjoint = true})), b, tight)
    close(product(linalg.lu_solve(lu, pivots, b:t(), {left = false}), a), b:t(), tight)
    local upper = a:triu()
    close(product(upper, linalg.solve_triangular(upper, b, {upper = true})), b, tight)
    local x = linalg.solve_triangular(upper:t(), b:t(), {upper = false, left = false})
    close(product(x, upper:t()), b:t(), tight)
    local s = positive(device, 4)
    close(product(s, tide.cholesky_solve(b, linalg.cholesky(s))), b, tight)
  end)
  it("find least squares solutions", function()
    local a, b = matrix(device, 6, 3), matrix(device, 6, 2)
    local x, residuals, rank = linalg.lstsq(a, b)
    close(product(a:t(), product(a, x) - b), tide.zeros(3, 2):double(), {atol = 1e-9})
    close(residuals, ((product(a, x) - b) ^ 2):sum(1), tight)
    equal(rank:item(), 3)
    close(linalg.pinv(a), product(linalg.inv(product(a:t(), a)), a:t()), tight)
  end)
  it("ignore singular values below the limit of least squares", function()
    local options = {dtype = "float64", device = device}
    local a, b = tide.diag(tide.tensor({1.0, 0.1, 0.01}, options)), tide.ones({3, 1}, options)
    local x, _, rank = linalg.lstsq(a, b, 0.05)
    close(x:flatten(), {1, 10, 0})
    equal(rank:item(), 2)
    raises("linalg.lstsq: expected at least 2 dimensions, got (3)", function() return linalg.lstsq(b:flatten(), b) end)
  end)
  it("accept tolerances, several for one matrix", function()
    local a = tide.diag(tide.tensor({1.0, 0.1, 0.01}, {dtype = "float64", device = device}))
    local limits = tide.tensor({0.5, 0.05, 0.005}, {dtype = "float64", device = device})
    equal(linalg.matrix_rank(a, {atol = limits}):tolist(), {1, 2, 3})
    local inverses = linalg.pinv(a:requires_grad_(), {rtol = limits})
    close(inverses[2]:diag(), {1, 10, 0})
    inverses:sum():backward()
    equal(a.grad.shape, {3, 3})
  end)
  it("compute norms", function()
    local a = matrix(device, 4, 4)
    local s = linalg.svdvals(a)
    close(linalg.det(a):abs(), s:prod(), tight)
    local sign, size = linalg.slogdet(a)
    close(sign * size:exp(), linalg.det(a), tight)
    close(linalg.matrix_norm(a, 2), s:max(), tight)
    close(linalg.norm(a, "nuc"), s:sum(), tight)
    close(linalg.cond(a), s:max() / s:min(), tight)
    equal(linalg.cond(tide.ones({2, 2}, {device = device}), 1):item(), math.huge)
    equal(linalg.cond(tide.zeros({2, 0, 0}, {device = device})):tolist(), {0.0, 0.0})
    equal(linalg.matrix_rank(tide.ones({3, 5}, {device = device})):item(), 1)
    close(linalg.matrix_power(a, -2), linalg.inv(a):matmul(linalg.inv(a)), tight)
    local one = tide.eye(2, {device = device})
    close(linalg.matrix_power(one, math.mininteger), one)
    local turn = tide.tensor({{0, -0.7}, {0.7, 0}}, {dtype = "float64", device = device})
    close(tide.matrix_exp(turn), {{math.cos(0.7), -math.sin(0.7)},
      {math.sin(0.7), math.cos(0.7)}}, tight)
    close(tide.matrix_exp(turn * 30), {{math.cos(21), -math.sin(21)},
      {math.sin(21), math.cos(21)}}, tight)
  end)
  it("multiply chains and vectors", function()
    local a, b, c = matrix(device, 2, 9), matrix(device, 9, 3), matrix(device, 3, 4)
    close(linalg.multi_dot({a, b, c}), product(a, b, c), tight)
    close(linalg.multi_dot({a[1], b, c}), product(a, b, c)[1], tight)
    close(linalg.multi_dot({a[1], b, c[{{}, 2}]}), product(a, b, c)[1][2], tight)
    local x = tide.tensor({1.0, 2.0, 3.0}, {device = device})
    local y = tide.tensor({-2.0, 0.5, 4.0}, {device = device})
    close(linalg.cross(x, y), {6.5, -10, 4.5})
    close(linalg.vander(x), {{1, 1, 1}, {1, 2, 4}, {1, 3, 9}})
  end)
end)

describe("gradients of linear algebra", function(device)
  -- Factors are unique up to signs, so products that do not depend on them are compared.
  local square = {
    inv = linalg.inv, det = linalg.det, slogdet = function(a)
      return (select(2, linalg.slogdet(a)))
    end,
    qr = function(a)
      local q, r = linalg.qr(a)
      return q:matmul(r * r) + r:abs()
    end,
    lu = function(a)
      local _, l, u = linalg.lu(a)
      return l * 2 + u * u
    end,
    svd = function(a)
      local u, s, vh = linalg.svd(a)
      return product(u * (s * s):unsqueeze(-2), vh)
    end,
    svdvals = linalg.svdvals, pinv = linalg.pinv, matrix_exp = tide.matrix_exp,
    eigh = function(a)
      local w, v = linalg.eigh(a + a:t())
      return product(v * w:exp():unsqueeze(-2), v:t())
    end,
    cholesky = function(a)
      return linalg.cholesky(a:matmul(a:t()))
    end,
    power = function(a) return linalg.matrix_power(a, -2) end,
    nuclear = function(a) return linalg.norm(a, "nuc") end,
  }
  for name, fn in pairs(square) do
    it(name .. " has the gradient of finite differences", function()
      check_gradient(fn, matrix(device, 3, 3))
    end)
  end
  local tall_and_wide = {
    qr = square.qr, svdvals = linalg.svdvals, pinv = linalg.pinv, lu = function(a)
      local p, l, u = linalg.lu(a)
      return product(p, l * 2, u * u)
    end, svd = function(a)
      local u, s, vh = linalg.svd(a, false)
      return product(u * (s * s):unsqueeze(-2), vh)
    end,
  }
  for name, fn in pairs(tall_and_wide) do
    it(name .. " of tall and wide matrices too", function()
      if name == "qr" then
        fn = function(a)
          local q, r = linalg.qr(a)
          return q:matmul(r:abs() * r)
        end
      end
      check_gradient(fn, matrix(device, 4, 2))
      check_gradient(fn, matrix(device, 2, 4))
    end)
  end
  it("of solvers exist for both arguments", function()
    local a, b = matrix(device, 3, 3), matrix(device, 3, 2)
    check_gradient(function(x, y) return linalg.solve(x, y) end, a, b)
    check_gradient(function(x, y) return linalg.solve_triangular(x, y, true) end, a, b)
    check_gradient(function(x, y)
      local lu, pivots = linalg.lu_factor(x)
      return linalg.lu_solve(lu, pivots, y)
    end, a, b)
    check_gradient(function(x, y) return (linalg.lstsq(x, y)) end, matrix(device, 4, 2),
      matrix(device, 4, 2))
  end)
  it("of triangular solves ignore elements of the matrix that are not read", function()
    local place = {dtype = "float64", device = device}
    -- {upper, unitriangular, left, gradient of the matrix}: torch.linalg.solve_triangular.
    local cases = {
      {false, false, true, {0.776041666667, 0, 0, -0.179166666667, 0.064583333333, 0, -0.0625,
        0.072916666667, -0.021145833333}},
      {false, false, false, {0.718125, 0, 0, 0.3225, -0.012694444444, 0, 0.1625, -0.059583333333,
        0.019229166667}},
      {false, true, true, {0, 0, 0, -1, 0, 0, -0.5, 1, 0}},
      {false, true, false, {0, 0, 0, 1.74, 0, 0, 1.3, -1.04, 0}},
      {true, false, true, {0.7381875, 0.295416666667, 0.1625, 0, 0.016930555556, -0.04875, 0, 0,
        0.01665625}},
      {true, false, false, {0.7628125, -0.16875, -0.0625, 0, 0.041180555556, 0.06875, 0, 0,
        -0.02640625}},
      {true, true, true, {0, 1.09, 1.3, 0, 0, -0.78, 0, 0, 0}},
      {true, true, false, {0, -0.75, -0.5, 0, 0, 0.9, 0, 0, 0}},
    }
    for _, case in ipairs(cases) do
      local upper, unitriangular, left, expected = table.unpack(case)
      local a = tide.tensor({{2, 0.3, -0.4}, {0.5, 3, 0.7}, {-0.6, 0.2, 4}}, place):requires_grad_()
      local b = tide.tensor({{1, 2}, {-1, 0.5}, {0.3, 0.8}}, place)
      local weight = tide.tensor({{1, -2}, {0.5, 0.3}, {0.7, -0.1}}, place)
      if not left then b, weight = b:t(), weight:t() end
      local x = linalg.solve_triangular(a, b, upper, {left = left, unitriangular = unitriangular});
      (x * weight):sum():backward()
      close(a.grad:reshape(-1), tide.tensor(expected, place), {rtol = 1e-10, atol = 1e-11})
    end
  end)
  it("have second derivatives", function()
    for _, name in ipairs {"inv", "det", "cholesky", "svd", "eigh", "qr", "pinv", "lu"} do
      local fn = square[name]
      check_gradient(function(a)
        if not a.requires_grad then a = a:clone():requires_grad_() end
        return (tide.grad((fn(a) ^ 2):sum(), a, {create_graph = true}))
      end, matrix(device, 2, 2))
    end
  end)
  it("of the determinant of a singular matrix are its cofactors", function()
    local a = tide.tensor({{1.0, 2.0}, {2.0, 4.0}}, {dtype = "float64", device = device,
      requires_grad = true})
    linalg.det(a):backward()
    close(a.grad, {{4, -2}, {-2, 1}}, tight)
  end)
end)

describe("errors of linear algebra", function(device)
  it("report the matrix when the result is read", function()
    local flat = tide.ones({2, 2}, {device = device})
    local inverse = linalg.inv(flat)
    raises("linalg.inv: the matrix is singular: pivot 2 is zero", inverse.tolist, inverse)
    local stack = tide.stack({tide.eye(2, {device = device}), flat})
    raises("matrix 2 of the stack is singular", function() return linalg.inv(stack):tolist() end)
    raises("not positive-definite", function() return linalg.cholesky(-flat):tolist() end)
    raises("contains nan or infinity", function() return linalg.svdvals(flat / 0):tolist() end)
    close(linalg.inv(tide.eye(2, {device = device})), tide.eye(2))
  end)
  it("report that completed bases have no gradient", function()
    local a = matrix(device, 4, 2):requires_grad_()
    local q = linalg.qr(a, "complete")
    raises("has no gradient if there are more rows than columns", function() q:sum():backward() end)
    local square = matrix(device, 3, 3):requires_grad_()
    local _, r = linalg.qr(square, "complete")
    r:abs():sum():backward()
    equal(square.grad.shape, {3, 3})
  end)
  it("are raised at once for invalid shapes and types", function()
    local a = tide.ones({2, 3}, {device = device})
    raises("linalg.inv: expected a square matrix, got (2, 3)", linalg.inv, a)
    raises("linalg.solve: (2, 2) and (3, 1) have 2 and 3 rows", linalg.solve,
      tide.eye(2, {device = device}), tide.ones({3, 1}, {device = device}))
    raises("types differ: float32 and float64", linalg.solve, tide.eye(2, {device = device}),
      tide.ones({2, 1}, {device = device, dtype = "float64"}))
    raises("lu_unpack: expected at least 2 dimensions, got (3)", tide.lu_unpack, tide.ones({3}, {device = device}),
      tide.ones({3}, {dtype = "int32", device = device}))
    for _, name in ipairs {"svd", "cond", "svdvals", "qr"} do
      raises("expected at least 2 dimensions, got (3)", linalg[name], tide.ones({3}, {device = device}))
    end
  end)
end)

describe("functions that report instead of failing", function(device)
  local function numbers(values)
    return tide.tensor(values, {dtype = "float64", device = device})
  end

  it("cholesky_ex reports which leading part is not positive", function()
    local a = numbers {{4, 2, 1}, {2, 5, 3}, {1, 3, 6}}
    local bad = numbers {{1, 0, 0}, {0, 1, 2}, {0, 2, 1}}
    local l, info = linalg.cholesky_ex(tide.stack {a, -a, bad})
    equal(info:tolist(), {0, 1, 3})
    equal(info.dtype, "int32")
    close(l[1], linalg.cholesky(a), tight)
    local u = linalg.cholesky_ex(a, true)
    close(u:t():matmul(u), a, tight)
    check_gradient(function(x) return (linalg.cholesky_ex(x + x:t())) end, a)
    raises("is not positive-definite", function()
      return (linalg.cholesky_ex(-a, {check_errors = true})):tolist()
    end)
  end)
  it("inv_ex, solve_ex and lu_factor_ex report which pivot is 0", function()
    local singular = numbers {{1, 2}, {2, 4}}
    local stack = tide.stack {singular, numbers {{1, 0}, {0, 2}}}
    local inverse, info = linalg.inv_ex(stack)
    equal(info:tolist(), {2, 0})
    close(inverse[2], {{1, 0}, {0, 0.5}})
    equal((select(3, linalg.lu_factor_ex(singular))):item(), 2)
    local x, none = linalg.solve_ex(stack[2], numbers {3, 4})
    close(x, {3, 2})
    equal(none:item(), 0)
    local right = linalg.solve_ex(stack[2], numbers {{3, 4}}, false)
    close(right, {{3, 2}})
    check_gradient(function(a) return (linalg.inv_ex(a)) end, matrix(device, 3, 3))
    raises("singular", function()
      return (linalg.inv_ex(singular, {check_errors = true})):tolist()
    end)
  end)
  it("householder_product multiplies reflections", function()
    local a = (tide.arange(12, {dtype = "float64", device = device}) * 0.7):sin():reshape(4, 3)
    local tau = numbers {0.5, 1.2, 0.3}
    close(linalg.householder_product(a, tau), {
      {0.5, 0.6067179778638128, -0.6087560634966235},
      {-0.43160468332443697, 0.3237246414063074, 0.5334930418871064},
      {0.4357878862067939, 0.6501424449553364, 0.1901823376049907},
      {-0.008406950242174856, -0.7781826227606788, 0.38904764879915577}}, tight)
    close(a:orgqr(tau[{{1, 2}}])[1], {0.5, 0.6067179778638128, -0.5843149250246518}, tight)
    check_gradient(linalg.householder_product, a, tau)
    raises("does not fit a matrix of shape (4, 3)", linalg.householder_product, a, numbers {1, 2, 3, 4})
  end)
end)

describe("PyTorch's old forms", function(device)
  local options <const> = {dtype = "float64", device = device}

  it("of svd and qr return V instead of V', and are reduced", function()
    tide.manual_seed(11)
    local a = tide.randn({2, 3, 5}, options)
    local u, s, v = a:svd()
    close((u * s:unsqueeze(-2)):matmul(v.mT), a, {rtol = 1e-12, atol = 1e-12})
    equal({u.shape, v.shape}, {{2, 3, 3}, {2, 5, 3}})
    equal({select(3, a:svd(false)).shape, (a.mT:qr()).shape, (a.mT:qr(false)).shape},
      {{2, 5, 5}, {2, 5, 3}, {2, 5, 5}})
  end)
  it("of triangular factors take the right side first", function()
    tide.manual_seed(12)
    local a = tide.randn({2, 4, 4}, options) + tide.eye(4, options) * 4
    local b = tide.randn({2, 4, 2}, options)
    local tolerance = {rtol = 1e-11, atol = 1e-11}
    local packed, pivots = a:lu()
    close(a:matmul(b:lu_solve(packed, pivots)), b, tolerance)
    local p, l, u = tide.lu_unpack(packed, pivots)
    close(p:matmul(l):matmul(u), a, tolerance)
    local x, same = b:triangular_solve(a)
    close(a:triu():matmul(x), b, tolerance)
    equal(same:equal(a), true)
    close(a:tril().mT:matmul((b:triangular_solve(a, false, true))), b, tolerance)
    raises("lu_unpack: pivots int64 (2, 4) do not fit", tide.lu_unpack, packed, pivots:long())
  end)
end)

describe("einsum without an arrow", function(device)
  it("keeps the dimensions of the ellipsis, and letters that occur once, in order", function()
    local function numbers(count) return tide.range(1, count):to("float32"):to(device) end
    local a, x = numbers(6):view(3, 2), numbers(12):view(2, 2, 3)
    equal(tide.einsum("...i,...i", a, a):tolist(), {5.0, 25.0, 61.0})
    equal(tide.einsum("...ji", x):tolist(),
      {{{1.0, 4.0}, {2.0, 5.0}, {3.0, 6.0}}, {{7.0, 10.0}, {8.0, 11.0}, {9.0, 12.0}}})
    equal(tide.einsum("...ii", numbers(8):view(2, 2, 2)):tolist(), {5.0, 13.0})
  end)
  it("puts the dimensions of the longest ellipsis in front", function()
    local short, long = tide.ones({3, 4, 5}, {device = device}), tide.ones({2, 3, 5, 6}, {device = device})
    equal(tide.einsum("...ij,...jk", short, long).shape, {2, 3, 4, 6})
    equal(tide.einsum("...jk,...ij", long, short).shape, {2, 3, 4, 6})
  end)
end)

describe("einsum", function(device)
  it("returns int64 for sums, like sum, and the operands' type for products", function()
    local x = tide.full({3, 100}, 100, {dtype = "int8", device = device})
    local sums = tide.einsum("ij->i", x)
    equal(sums.dtype, "int64")
    equal(sums:tolist(), {10000, 10000, 10000})
    equal(tide.einsum("ij,k->ik", x, x[1]).dtype, "int64")
    equal(tide.einsum("ij,kj->ik", x, x).dtype, "int8")
    equal(tide.einsum("ij->ji", x).dtype, "int8")
  end)
end)

describe("a matrix of powers", function(device)
  it("is also computed for a single number", function()
    local x = tide.tensor(2.0, {device = device}):requires_grad_()
    local powers = linalg.vander(x, 4)
    test.same_type(powers:tolist(), {{1.0, 2.0, 4.0, 8.0}})
    powers:sum():backward()
    test.same_type(x.grad:item(), 17.0)
  end)
end)

describe("matrix_exp of half types", function(device)
  it("rounds the result of float32", function()
    for _, dtype in ipairs {"float16", "bfloat16"} do
      local x = tide.tensor({{0, 1}, {-1, 0.5}}, {dtype = dtype, device = device})
      local y = x:matrix_exp()
      test.equal(y.dtype, dtype)
      close(y:double(), {{0.454567383772, 1.092593717063}, {-1.092593717063, 1.000864242303}},
        {rtol = dtype == "float16" and 2 ^ -11 or 2 ^ -8})
    end
  end)
end)

describe("norms of empty matrices", function(device)
  it("are 0, except the minimum of no values", function()
    for _, order in ipairs {1, 2, math.huge, "fro", "nuc"} do
      equal(linalg.norm(tide.zeros({0, 0}, {device = device}), order):item(), 0.0)
    end
    raises("there are no elements", linalg.norm, tide.zeros({0, 0}, {device = device}), -1)
  end)
end)

test.describe("decompositions on the host", function()
  it("have the same bits for all environment variables of OpenBLAS", function()
    local run = dofile(here .. "/../support/program.lua")
    local words = ("'%s/../support/decompositions.lua'"):format(here)
    local alone = run(words, "export OPENBLAS_NUM_THREADS=1;")
    test.is_true(alone:find "^%x+\n%x+\n%x+\n$" ~= nil)
    equal(run(words, "export OPENBLAS_NUM_THREADS=4;"), alone)
  end)
end)
