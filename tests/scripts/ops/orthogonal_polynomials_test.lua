-- Orthogonal polynomials compared with closed forms.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local check_gradient = dofile(here .. "/../support/gradient.lua")
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local special = tide.special

-- The polynomials of degree 0 to 4.
local cases = {
  hermite_polynomial_h = {
    function() return 1 end,
    function(x) return 2 * x end,
    function(x) return 4 * x ^ 2 - 2 end,
    function(x) return 8 * x ^ 3 - 12 * x end,
    function(x) return 16 * x ^ 4 - 48 * x ^ 2 + 12 end,
  },
  hermite_polynomial_he = {
    function() return 1 end,
    function(x) return x end,
    function(x) return x ^ 2 - 1 end,
    function(x) return x ^ 3 - 3 * x end,
    function(x) return x ^ 4 - 6 * x ^ 2 + 3 end,
  },
  laguerre_polynomial_l = {
    function() return 1 end,
    function(x) return 1 - x end,
    function(x) return (x ^ 2 - 4 * x + 2) / 2 end,
    function(x) return (-x ^ 3 + 9 * x ^ 2 - 18 * x + 6) / 6 end,
    function(x) return (x ^ 4 - 16 * x ^ 3 + 72 * x ^ 2 - 96 * x + 24) / 24 end,
  },
  legendre_polynomial_p = {
    function() return 1 end,
    function(x) return x end,
    function(x) return (3 * x ^ 2 - 1) / 2 end,
    function(x) return (5 * x ^ 3 - 3 * x) / 2 end,
    function(x) return (35 * x ^ 4 - 30 * x ^ 2 + 3) / 8 end,
  },
}

-- Chebyshev polynomials of any degree by the angle: x = cos(a).
local by_angle = {
  t = function(n, a) return math.cos(n * a) end,
  u = function(n, a) return math.sin((n + 1) * a) / math.sin(a) end,
  v = function(n, a) return math.cos((n + 0.5) * a) / math.cos(a / 2) end,
  w = function(n, a) return math.sin((n + 0.5) * a) / math.sin(a / 2) end,
}

describe("orthogonal polynomials", function(device)
  local places = {-1.5, -0.9, -0.2, 0.0, 0.4, 0.95, 2.25}
  local x
  test.before_each(function() x = tide.tensor(places, {dtype = "float64", device = device}) end)

  it("have the values of their closed forms", function()
    for name, forms in pairs(cases) do
      for n = 0, 4 do
        local expected = {}
        for i, place in ipairs(places) do expected[i] = forms[n + 1](place) end
        close(special[name](x, n), expected, {rtol = 1e-14, atol = 1e-14})
      end
    end
  end)
  it("of Chebyshev agree with the angle up to high degrees", function()
    local angles = {0.1, 0.7, 1.5, 2.2, 3.1}
    local cosines = {}
    for i, angle in ipairs(angles) do cosines[i] = math.cos(angle) end
    local inside = tide.tensor(cosines, {dtype = "float64", device = device})
    for kind, form in pairs(by_angle) do
      for _, n in ipairs {0, 1, 2, 5, 60} do
        local expected = {}
        for i, angle in ipairs(angles) do expected[i] = form(n, angle) end
        close(special["chebyshev_polynomial_" .. kind](inside, n), expected,
          {rtol = 1e-11, atol = 1e-12})
        close(special["shifted_chebyshev_polynomial_" .. kind]((inside + 1) / 2, n), expected,
          {rtol = 1e-11, atol = 1e-12})
      end
    end
  end)
  it("accept a degree for each element; below 0 they are 0", function()
    local degrees = tide.tensor({-1, 0, 1, 2.9, 3}, {device = device})
    close(special.hermite_polynomial_he(tide.full({5}, 2.0, {device = device}), degrees),
      {0, 1, 2, 3, 2})
    close(special.legendre_polynomial_p(0.5, degrees), {0, 1, 0.5, -0.125, -0.4375})
    close(special.legendre_polynomial_p(x, -1), tide.zeros_like(x))
    equal(special.chebyshev_polynomial_t(x:unsqueeze(2), degrees).shape, {7, 5})
    local whole = tide.tensor({1, 2}, {device = device})
    equal(special.chebyshev_polynomial_t(whole, 2).dtype, "float32")
    equal(special.chebyshev_polynomial_t(tide.zeros({0, 2}, {device = device}), 2).shape, {0, 2})
  end)
  it("have gradients", function()
    local degrees = tide.tensor({0, 1, 2, 3, 4, 5, 6}, {device = device})
    for name in pairs(cases) do
      check_gradient(function(x) return special[name](x, 3) + special[name](x, degrees) end, x)
    end
  end)
  it("reject degrees that would take too long, and two numbers", function()
    raises("n must be at most 10000", special.laguerre_polynomial_l, x, 1e5)
    raises("expected a tensor, got two numbers", special.laguerre_polynomial_l, 1, 2)
  end)
end)
