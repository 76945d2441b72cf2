-- Householder reflections and symmetric factors.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local check_gradient = dofile(here .. "/../support/gradient.lua")
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local linalg = tide.linalg

describe("reflections", function(device)
  local options = {dtype = "float64", device = device}
  local tight = {rtol = 1e-12, atol = 1e-13}
  local function random(...) return tide.randn({...}, options) end
  test.before_each(function() tide.manual_seed(3) end)

  it("of geqrf return R, and multiplied by ormqr the matrix", function()
    for _, shape in ipairs {{4, 3}, {3, 4}, {3, 3}, {2, 4, 3}, {1, 1}} do
      local a = random(table.unpack(shape))
      local factors, tau = a:geqrf()
      equal(tau:size(-1), math.min(a:size(-1), a:size(-2)))
      close(factors:ormqr(tau, factors:triu()), a, tight)
      close(factors:ormqr(tau, a, {transpose = true}), factors:triu(), tight)
    end
  end)
  it("multiply from the right too, and have gradients", function()
    local a, tau = random(4, 2):geqrf()
    local c = random(3, 4)
    local whole = a:ormqr(tau, tide.eye(4, options))
    close(whole:mm(whole.T), tide.eye(4, options), tight)
    close(a:ormqr(tau, c, {left = false}), c:mm(whole), tight)
    close(a:ormqr(tau, c, {left = false, transpose = true}), c:mm(whole.T), tight)
    close(linalg.householder_product(a, tau), whole[{{}, {1, 2}}], tight)
    check_gradient(function(a, tau, c) return a:ormqr(tau, c, {left = false}) end, a, tau, c)
  end)
  it("of empty matrices are empty", function()
    for _, shape in ipairs {{0, 3}, {3, 0}, {2, 0, 0}} do
      local factors, tau = random(table.unpack(shape)):geqrf()
      equal(factors.shape, shape)
      equal(tau:numel(), 0)
    end
  end)
  it("must match", function()
    local a, tau = random(4, 2):geqrf()
    raises("do not fit a matrix of shape (3, 3)", a.ormqr, a, tau, random(3, 3))
    raises("tau of shape (1, 2)", a.ormqr, a, tau:unsqueeze(1), random(4, 3))
  end)
end)

describe("ldl_factor", function(device)
  local options = {dtype = "float64", device = device}

  it("returns LAPACK's factors and pivots, blocks of two included", function()
    local LD, pivots = linalg.ldl_factor(tide.tensor({{4.0, 2}, {2, 5}}, options))
    equal(LD:tolist(), {{4.0, 0.0}, {0.5, 4.0}})
    equal(pivots:tolist(), {1, 2})
    equal(pivots.dtype, "int32")
    LD, pivots = linalg.ldl_factor(tide.tensor({{0.0, 1}, {1, 0}}, options))
    equal(LD:tolist(), {{0.0, 0.0}, {1.0, 0.0}})
    equal(pivots:tolist(), {-2, -2})
  end)
  it("solves with stacks, and has a gradient of the right side", function()
    tide.manual_seed(5)
    local a = tide.randn({3, 4, 4}, options)
    a = a + a.mT
    local LD, pivots = linalg.ldl_factor(a)
    local b = tide.randn({3, 4, 2}, options)
    close(a:matmul(linalg.ldl_solve(LD, pivots, b)), b, {rtol = 1e-9, atol = 1e-10})
    check_gradient(function(b) return linalg.ldl_solve(LD, pivots, b) end, b)
    close(linalg.ldl_solve(LD[1], pivots[1], b), linalg.solve(a[1], b), {rtol = 1e-9, atol = 1e-10})
  end)
  it("fails for a singular block, or reports which", function()
    local zeros = tide.zeros({2, 2}, options)
    raises("a block of D is singular", linalg.ldl_factor, zeros)
    local _, _, info = linalg.ldl_factor_ex(zeros)
    equal(info:item(), 1)
    raises("singular", linalg.ldl_factor_ex, zeros, {check_errors = true})
  end)
  it("accepts only its own pivots", function()
    local LD, pivots = linalg.ldl_factor(tide.eye(2, options))
    local b = tide.ones({2, 1}, options)
    raises("pivots int64 (2)", linalg.ldl_solve, LD, pivots:long(), b)
    raises("a pivot is out of range: 7", function()
      return linalg.ldl_solve(LD, pivots * 0 + 7, b):tolist()
    end)
  end)
end)
