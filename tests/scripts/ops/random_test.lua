-- tide.random: NumPy's names. Moments are compared with those of the distributions.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.same_type, test.raises
local random = tide.random

describe("tide.random", function(device)
  it("restarts from a seed or a state", function()
    random.seed(3)
    local state = random.get_state()
    local a = random.uniform(0, 1, {4}, {device = device})
    random.seed(3)
    test.equal(random.uniform {size = 4, ctx = device}, a)
    random.set_state(state)
    test.equal(random.rand(4):to(device), a)
    equal(random.rand(2, 3).shape, {2, 3})
    equal(random.randn(2).shape, {2})
    random.seed()
  end)
  -- Means and variances in closed form; those of 40,000 numbers are within five standard errors.
  it("has the means and variances of its distributions", function()
    random.seed(11)
    local pi, euler = math.pi, 0.5772156649015329
    local function gamma(x)
      return math.exp(tide.lgamma(tide.tensor(x, {dtype = "float64"})):item())
    end
    local cases = {
      {"random", {}, 0.5, 1 / 12}, {"uniform", {-1, 3}, 1, 16 / 12}, {"normal", {2, 3}, 2, 9},
      {"standard_normal", {}, 0, 1},
      {"lognormal", {0.5, 0.4}, math.exp(0.58), (math.exp(0.16) - 1) * math.exp(1.16)},
      {"exponential", {2}, 2, 4}, {"gumbel", {1, 2}, 1 + 2 * euler, pi ^ 2 / 6 * 4},
      {"logistic", {1, 2}, 1, 4 * pi ^ 2 / 3}, {"laplace", {1, 2}, 1, 8},
      {"rayleigh", {2}, 2 * math.sqrt(pi / 2), (4 - pi) / 2 * 4},
      {"weibull", {2}, gamma(1.5), gamma(2.0) - gamma(1.5) ^ 2},
      {"pareto", {6}, 1 / 5, 6 / (25 * 4)}, {"power", {3}, 3 / 4, 3 / (16 * 5)},
      {"standard_exponential", {}, 1, 1}, {"standard_gamma", {2.5}, 2.5, 2.5},
      {"gamma", {0.4, 3}, 1.2, 3.6}, {"beta", {2, 3}, 0.4, 6 / (25 * 6)},
      {"chisquare", {3}, 3, 6}, {"f", {5, 20}, 20 / 18, 2 * 400 * 23 / (5 * 324 * 16)},
      {"standard_t", {9}, 0, 9 / 7}, {"geometric", {0.3}, 1 / 0.3, 0.7 / 0.09},
      {"negative_binomial", {3, 0.4}, 4.5, 11.25},
      {"poisson", {4}, 4, 4}, {"binomial", {10, 0.3}, 3, 2.1},
      {"randint", {1, 6}, 3.5, 35 / 12},
    }
    local n = 40000
    for _, case in ipairs(cases) do
      local name, parameters, mean, variance = table.unpack(case)
      parameters[#parameters + 1] = {size = n, device = device}
      local x = random[name](table.unpack(parameters)):double()
      equal(x.shape, {n})
      local off = math.abs(x:mean():item() - mean)
      local near = off < 5 * math.sqrt(variance / n)
      if not near then error(name .. ": mean " .. x:mean():item()) end
      local spread = x:var():item()
      near = math.abs(spread / variance - 1) < 0.15
      if not near then error(name .. ": variance " .. spread) end
    end
  end)
  it("has the quartiles of distributions without a mean", function()
    random.seed(12)
    local x = random.standard_cauchy {size = 40000, device = device}
    test.close(x:quantile(tide.tensor({0.25, 0.5, 0.75}, {device = device})), {-1, 0, 1},
      {atol = 0.05, rtol = 0})
  end)
  it("returns vectors with the right covariances", function()
    random.seed(13)
    local options = {dtype = "float64", device = device}
    local mean, cov = {1, -2, 0.5}, {{2, 0.6, 0}, {0.6, 1, -0.5}, {0, -0.5, 3}}
    local x = random.multivariate_normal(mean, cov, 40000, options)
    equal(x.shape, {40000, 3})
    test.close(x:mean(1), mean, {atol = 0.05, rtol = 0})
    test.close(x.T:cov(), cov, {atol = 0.1, rtol = 0})
    local singular = random.multivariate_normal({0, 0}, {{1, 2}, {2, 4}}, {5}, options)
    test.close(singular[{ {}, 2 }], singular[{ {}, 1 }] * 2, {atol = 1e-6})
    local shares = random.dirichlet({1, 2, 5}, {20000}, options)
    test.close(shares:sum(2), tide.ones(20000, options), {rtol = 1e-12})
    test.close(shares:mean(1), {1 / 8, 2 / 8, 5 / 8}, {atol = 0.01, rtol = 0})
    equal(random.dirichlet({1, 2}, {2, 3}).shape, {2, 3, 2})
    equal(random.dirichlet({1, 2}).dtype, "float32")
    raises("expected a mean of n numbers and a matrix n x n, got (2) and (1, 2)",
      random.multivariate_normal, {0, 0}, {{1, 2}})
    raises("dirichlet: alpha: element 1: expected number, got table", random.dirichlet, {{1, 2}})
  end)
  it("raises an error for shapes without elements", function()
    local shapes = tide.tensor({-1.5, -0.2, 1 / 0, 0 / 0, 0, 2}, {device = device})
    local x = random.gamma(shapes, 3, {device = device})
    equal(x:isnan():tolist(), {true, true, true, true, false, false})
    equal(x[5]:item(), 0.0)
  end)
  it("never returns infinities", function()
    random.seed(14)
    for _, type in ipairs {"float16", "bfloat16"} do
      for _, name in ipairs {"gumbel", "logistic", "laplace", "standard_cauchy", "exponential",
        "gamma", "pareto"} do
        local x = random[name] {size = 40000, dtype = type, device = device}
        equal(x.dtype, type)
        if not x:isfinite():all():item() then error(name .. " of " .. type) end
      end
    end
  end)
  it("broadcasts parameters that are tensors", function()
    local loc = tide.tensor({{0.0}, {100.0}}, {device = device})
    local x = random.normal(loc, tide.tensor({0.0, 0, 0}, {device = device}), {device = device})
    equal(x:tolist(), {{0.0, 0.0, 0.0}, {100.0, 100.0, 100.0}})
    equal(random.uniform(loc, loc, {5, 2, 1}, {device = device}).shape, {5, 2, 1})
    equal(random.normal().shape, {})
    equal(random.normal(0, 1, 2, {dtype = "float64"}).dtype, "float64")
  end)
  it("draws integers with both ends, from 1", function()
    random.seed(5)
    local x = random.randint(3, {size = {200}, device = device})
    equal({x:min():item(), x:max():item(), x.dtype}, {1, 3, "int64"})
    x = random.randint(-1, 1, {200})
    equal({x:min():item(), x:max():item()}, {-1, 1})
  end)
  it("chooses, permutes and shuffles", function()
    random.seed(7)
    local rows = tide.range(1, 6, {device = device}):reshape(3, 2)
    equal(random.choice(rows, {4, 5}).shape, {4, 5, 2})
    equal(random.choice(5).shape, {})
    local all = random.choice(5, 5, false):tolist()
    table.sort(all)
    equal(all, {1, 2, 3, 4, 5})
    equal(random.choice({7, 8, 9}, 4, true, {0, 1, 0}):tolist(), {8, 8, 8, 8})
    local order = random.permutation(6):tolist()
    table.sort(order)
    equal(order, {1, 2, 3, 4, 5, 6})
    local moved = random.permutation(rows)
    equal(moved:sum():item(), 21)
    equal((moved:select(2, 2) - moved:select(2, 1)):tolist(), {1, 1, 1})
    local x, list = tide.range(1, 50, {device = device}), {}
    local view = x
    random.shuffle(x)
    equal(rawequal(view, x), true)
    equal(x:sort():tolist(), tide.range(1, 50):tolist())
    equal(x:equal(tide.range(1, 50, {device = device})), false)
    for i = 1, 20 do list[i] = i end
    random.shuffle(list)
    local ordered = true
    for i = 1, 20 do ordered = ordered and list[i] == i end
    equal(ordered, false)
    table.sort(list)
    equal(list[20], 20)
    random.shuffle {}
  end)
  it("counts the outcomes of draws", function()
    local counts = random.multinomial(10, {0.0, 0.25, 0.75}, {4})
    equal(counts.shape, {4, 3})
    equal(counts:sum(2):tolist(), {10, 10, 10, 10})
    equal(counts:sum(1)[1]:item(), 0)
    equal(random.multinomial(0, {0.5, 0.5}):tolist(), {0, 0})
  end)
  it("reports mismatches", function()
    raises("normal: scale must be non-negative, got -1", random.normal, 0, -1)
    raises("size: expected a size or a list of sizes, got -2", random.uniform, 0, 1, -2)
    raises("cannot draw 6 of 5 values without replacement", random.choice, 5, 6, false)
    raises("expected 3 probabilities, got shape (2)", random.choice, 3, 1, true, {0.5, 0.5})
    raises("a number of choices must be at least 1, got 0", random.choice, 0)
    raises("shuffle: argument 1 (x): expected tensor or table, got number", random.shuffle, 3)
    raises("tide.random.rnadint: there is no such name; did you mean 'randint'?",
      function() return random.rnadint end)
  end)
end)
