-- tide.random: random numbers under NumPy's names. Positions and whole numbers count from 1, and
-- ranges include both ends, as everywhere in tide. One generator serves all devices.
local arguments = require "tide.internal.arguments"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"

local random = {}

local place = {{"dtype"}, {"device"}, {"ctx"}}

--- Parameters with those that say where and what the result is behind them.
local function with_place(parameters)
  local all = table.move(parameters, 1, #parameters, 1, {})
  return table.move(place, 1, #place, #all + 1, all)
end

--- The options of a new tensor.
local function options_of(given)
  return {dtype = given.dtype, device = given.device or given.ctx}
end

--- The sizes that `size` means: a number, a list, or nil for the common shape of the parameters.
local function shape_of(name, size, ...)
  if size == nil then
    local shapes = {}
    for _, parameter in ipairs {...} do
      if tide.is_tensor(parameter) then shapes[#shapes + 1] = parameter.shape end
    end
    return #shapes > 0 and tide.broadcast_shapes(table.unpack(shapes)) or {}
  end
  local shape = type(size) == "table" and size or {size}
  for _, count in ipairs(shape) do
    if not math.tointeger(count) or count < 0 then
      raise("%s: size: expected a size or a list of sizes, got %s", name, tostring(count))
    end
  end
  return shape
end

--- Starts over from a seed; without one, from a new one each time.
function random.seed(seed)
  if seed == nil then tide.seed() else tide.manual_seed(seed) end
end

--- What the next numbers depend on, for set_state.
function random.get_state() return tide.get_rng_state() end

--- Goes on from a state.
function random.set_state(state) tide.set_rng_state(state) end

--- rand(d1, d2, ...): uniform in 0..1, of these sizes.
function random.rand(...) return tide.rand({...}) end

--- randn(d1, d2, ...): normal, of these sizes.
function random.randn(...) return tide.randn({...}) end

-- Distributions: each is a function of uniform or normal numbers ----------------------------------

--- Makes random.NAME(a, b, size, options), computed from standard numbers `z`.
local function define(name, parameters, standard, transform)
  local declared, kinds = table.move(parameters, 1, #parameters, 1, {}), {}
  for _, parameter in ipairs(parameters) do kinds[parameter[1]] = "numeric" end
  declared[#declared + 1] = {"size"}
  local read = arguments("random." .. name, with_place(declared), kinds)
  local a_name, b_name = parameters[1] and parameters[1][1], parameters[2] and parameters[2][1]
  random[name] = function(...)
    local given = read(...)
    local a, b = a_name and given[a_name], b_name and given[b_name]
    local shape = shape_of("random." .. name, given.size, a, b)
    return transform(standard(shape, options_of(given)), a, b, "random." .. name)
  end
end

--- Raises an error for a number that is below zero; tensors are not looked at, which would wait.
local function check_scale(name, what, value)
  if type(value) == "number" and not (value >= 0) then
    raise("%s: %s must be non-negative, got %s", name, what, tostring(value))
  end
end

--- Uniform numbers that are never 0, whose logarithm is finite.
local function positive(shape, options) return 1 - tide.rand(shape, options) end

--- Uniform numbers that are never 0 and never 1. The steps of tide.rand are eps / 2.
local function inside(shape, options)
  local z = tide.rand(shape, options)
  return z:clamp(tide.finfo(z.dtype).eps / 4)
end

define("random", {}, tide.rand, function(z) return z end)

define("uniform", {{"low", 0.0}, {"high", 1.0}}, tide.rand, function(z, low, high)
  return z * (high - low) + low
end)

define("normal", {{"loc", 0.0}, {"scale", 1.0}}, tide.randn, function(z, loc, scale, name)
  check_scale(name, "scale", scale)
  return z * scale + loc
end)

define("standard_normal", {}, tide.randn, function(z) return z end)

define("lognormal", {{"mean", 0.0}, {"sigma", 1.0}}, tide.randn, function(z, mean, sigma, name)
  check_scale(name, "sigma", sigma)
  return (z * sigma + mean):exp()
end)

define("exponential", {{"scale", 1.0}}, positive, function(z, scale, _, name)
  check_scale(name, "scale", scale)
  return -z:log() * scale
end)

define("standard_exponential", {}, positive, function(z) return -z:log() end)

define("gumbel", {{"loc", 0.0}, {"scale", 1.0}}, inside, function(z, loc, scale, name)
  check_scale(name, "scale", scale)
  return loc - (-z:log()):log() * scale
end)

define("logistic", {{"loc", 0.0}, {"scale", 1.0}}, inside, function(z, loc, scale, name)
  check_scale(name, "scale", scale)
  return z:logit() * scale + loc
end)

define("standard_cauchy", {}, inside, function(z) return ((z - 0.5) * math.pi):tan() end)

define("laplace", {{"loc", 0.0}, {"scale", 1.0}}, inside, function(z, loc, scale, name)
  check_scale(name, "scale", scale)
  local side = z - 0.5
  return loc - side:sign() * (1 - side:abs() * 2):log() * scale
end)

define("rayleigh", {{"scale", 1.0}}, positive, function(z, scale, _, name)
  check_scale(name, "scale", scale)
  return (-2 * z:log()):sqrt() * scale
end)

define("weibull", {{"a", 1.0}}, positive, function(z, a, _, name)
  check_scale(name, "a", a)
  return (-z:log()) ^ (1 / a)
end)

define("pareto", {{"a", 1.0}}, positive, function(z, a, _, name)
  check_scale(name, "a", a)
  return z ^ (-1 / a) - 1
end)

define("power", {{"a", 1.0}}, positive, function(z, a, _, name)
  check_scale(name, "a", a)
  return z ^ (1 / a)
end)

define("poisson", {{"lam", 1.0}}, tide.ones, function(one, lam, _, name)
  check_scale(name, "lam", lam)
  return tide.poisson(one * lam)
end)

local read_binomial = arguments("random.binomial", with_place {"n", "p", {"size"}})

--- binomial(n, p, size): how many of n trials succeed, each with probability p.
function random.binomial(...)
  local given = read_binomial(...)
  local shape = shape_of("random.binomial", given.size, given.n, given.p)
  local one = tide.ones(shape, options_of(given))
  return tide.binomial(one * given.n, one * given.p)
end

define("geometric", {{"p", 0.5}}, positive, function(z, p, _, name)
  if type(p) == "number" and not (p > 0 and p <= 1) then
    raise("%s: p must be above 0 and at most 1, got %s", name, tostring(p))
  end
  return (z:log() / (tide.ones_like(z) * -p):log1p()):ceil():clamp(1)
end)

-- The gamma distribution, and what is made of it --------------------------------------------------

--- Gamma numbers of the shapes that `a` holds (Marsaglia and Tsang, 2000). Candidates are drawn
--- until all are accepted, some 95 of 100 in each round, which waits.
local function gamma_numbers(a)
  local type = a.dtype
  if tide.finfo(type).bits == 16 then a = a:float() end
  local small = a:lt(1)
  local d = tide.where(small, a + 1, a) - 1 / 3
  -- There are no numbers of negative or infinite shapes, for which nothing would be accepted.
  local open = a:ge(0):logical_and(a:isfinite())
  local result = tide.where(open, tide.zeros_like(a), 0 / 0)
  repeat
    local x = tide.randn_like(a)
    local v = (x / (d * 9):sqrt() + 1) ^ 3
    local limit = x * x / 2 + d - d * v + d * v:log()
    local taken = open:logical_and(v:gt(0)):logical_and((1 - tide.rand_like(a)):log():lt(limit))
    result = tide.where(taken, d * v, result)
    open = open:logical_and(taken:logical_not())
  until not open:any():item()
  -- Shapes below 1 from those above it by a power of a uniform number.
  return tide.where(small, result * (1 - tide.rand_like(a)) ^ (1 / a), result):to(type)
end

define("standard_gamma", {{"shape", 1.0}}, tide.ones, function(one, shape, _, name)
  check_scale(name, "shape", shape)
  return gamma_numbers(one * shape)
end)

define("gamma", {{"shape", 1.0}, {"scale", 1.0}}, tide.ones, function(one, shape, scale, name)
  check_scale(name, "shape", shape)
  check_scale(name, "scale", scale)
  return gamma_numbers(one * shape) * scale
end)

define("beta", {{"a", 1.0}, {"b", 1.0}}, tide.ones, function(one, a, b, name)
  check_scale(name, "a", a)
  check_scale(name, "b", b)
  local x = gamma_numbers(one * a)
  return x / (x + gamma_numbers(one * b))
end)

define("chisquare", {{"df", 1.0}}, tide.ones, function(one, df, _, name)
  check_scale(name, "df", df)
  return gamma_numbers(one * df / 2) * 2
end)

define("f", {{"dfnum", 1.0}, {"dfden", 1.0}}, tide.ones, function(one, dfnum, dfden, name)
  check_scale(name, "dfnum", dfnum)
  check_scale(name, "dfden", dfden)
  return gamma_numbers(one * dfnum / 2) / dfnum / (gamma_numbers(one * dfden / 2) / dfden)
end)

define("standard_t", {{"df", 1.0}}, tide.randn, function(z, df, _, name)
  check_scale(name, "df", df)
  return z / (gamma_numbers(tide.ones_like(z) * df / 2) * 2 / df):sqrt()
end)

define("negative_binomial", {{"n", 1.0}, {"p", 0.5}}, tide.ones, function(one, n, p, name)
  check_scale(name, "n", n)
  return tide.poisson(gamma_numbers(one * n) * (1 - p) / p)
end)

local read_dirichlet = arguments("random.dirichlet", with_place {"alpha", {"size"}})

--- A list or a tensor as a floating tensor; options of the call count.
local function floating(value, given)
  local options = options_of(given)
  options.dtype = options.dtype or not tide.is_tensor(value) and tide.get_default_dtype() or nil
  return tide.as_tensor(value, options)
end

--- The sizes, with another one behind them.
local function with_size(name, size, last)
  local shape = shape_of(name, size)
  shape = table.move(shape, 1, #shape, 1, {})
  shape[#shape + 1] = last
  return shape
end

--- dirichlet(alpha, size): positive numbers that add up to 1, one for each of alpha.
function random.dirichlet(...)
  local given = read_dirichlet(...)
  local alpha = floating(given.alpha, given)
  if alpha:dim() ~= 1 or #alpha == 0 then
    raise("random.dirichlet: alpha: expected a list, got %d dimensions", alpha:dim())
  end
  local x = gamma_numbers(alpha:expand(with_size("random.dirichlet", given.size, #alpha)))
  return x / x:sum(-1, true)
end

local read_multivariate = arguments("random.multivariate_normal",
  with_place {"mean", "cov", {"size"}})

--- multivariate_normal(mean, cov, size): normal vectors with these means and covariances.
function random.multivariate_normal(...)
  local given = read_multivariate(...)
  local name = "random.multivariate_normal"
  local mean, cov = floating(given.mean, given), floating(given.cov, given)
  local count = mean:dim() == 1 and #mean
  if not count or cov:dim() ~= 2 or cov:size(1) ~= count or cov:size(2) ~= count then
    raise("%s: expected a mean of n numbers and a matrix n x n, got (%s) and (%s)", name,
      table.concat(mean.shape, ", "), table.concat(cov.shape, ", "))
  end
  local variances, axes = tide.linalg.eigh(cov)
  local z = tide.randn(with_size(name, given.size, count), {dtype = cov.dtype, device = cov.device})
  return mean + (z * variances:clamp(0):sqrt()):matmul(axes.T)
end

-- Whole numbers and choices -----------------------------------------------------------------------

local read_randint = arguments("random.randint", with_place {"low", {"high"}, {"size"}})

--- randint(low, high, size): whole numbers low..high, both included; randint(last) from 1.
function random.randint(...)
  local given = read_randint(...)
  local low, high = given.low, given.high
  if high == nil then low, high = 1, low end
  return tide.randint(low, high, shape_of("random.randint", given.size), options_of(given))
end

--- `rows` as a tensor, or nil for a number of them.
local function as_rows(name, value)
  if math.tointeger(value) and type(value) == "number" then
    if value < 1 then raise("%s: a number of choices must be at least 1, got %d", name, value) end
    return nil, math.tointeger(value)
  end
  local rows = type(value) == "table" and not getmetatable(value) and tide.tensor(value) or value
  if not tide.is_tensor(rows) or rows:dim() == 0 then
    raise("%s: expected a number, a list or a tensor, got %s", name, kind_of(value))
  end
  return rows, #rows
end

local read_choice = arguments("random.choice", with_place {"a", {"size"}, {"replace", true}, {"p"}},
  {replace = "boolean"})

--- choice(a, size, replace, p): elements of `a` along its first dimension, or numbers 1..a. Without
--- `replace` none comes twice; `p` are their probabilities.
function random.choice(...)
  local given = read_choice(...)
  local rows, count = as_rows("random.choice", given.a)
  local shape = shape_of("random.choice", given.size)
  local wanted = 1
  for _, size in ipairs(shape) do wanted = wanted * size end
  if not given.replace and wanted > count then
    raise("random.choice: %d of %d cannot be taken without coming twice", wanted, count)
  end
  local on = {device = rows and rows.device or given.device or given.ctx}
  local positions
  if given.p then
    local p = tide.as_tensor(given.p, {dtype = "float32", device = on.device})
    if p:dim() ~= 1 or #p ~= count then
      raise("random.choice: p: expected %d probabilities, got shape (%s)", count,
        table.concat(p.shape, ", "))
    end
    positions = wanted > 0 and tide.multinomial(p, wanted, given.replace)
      or tide.zeros({0}, {dtype = "int64", device = on.device})
  elseif given.replace then
    positions = tide.randint(1, count, {wanted}, on)
  else
    positions = tide.randperm(count, on):narrow(1, 1, wanted)
  end
  local result = rows and rows:index_select(1, positions) or positions
  local rest = rows and table.move(rows.shape, 2, rows:dim(), 1, {}) or {}
  return result:reshape(table.move(rest, 1, #rest, #shape + 1, table.move(shape, 1, #shape, 1, {})))
end

--- A new order of 1..n, or a copy of a tensor or list with its first dimension in a new order.
function random.permutation(x)
  local rows, count = as_rows("random.permutation", x)
  local order = tide.randperm(count, {device = rows and rows.device})
  return rows and rows:index_select(1, order) or order
end

--- Brings a list, or a tensor's first dimension, into a new order in place.
function random.shuffle(x)
  if tide.is_tensor(x) then
    if x:dim() == 0 then raise("random.shuffle: a tensor without dimensions has no order") end
    tide.no_grad(function() x:copy_(x:index_select(1, tide.randperm(#x, {device = x.device}))) end)
    return
  end
  if type(x) ~= "table" then
    raise("random.shuffle: expected a list or a tensor, got %s", kind_of(x))
  end
  if #x == 0 then return end
  local before = table.move(x, 1, #x, 1, {})
  for i, from in ipairs(tide.randperm(#x, {device = "cpu"}):tolist()) do x[i] = before[from] end
end

local read_multinomial = arguments("random.multinomial", {"n", "pvals", {"size"}}, {n = "count"})

--- multinomial(n, pvals, size): how often each of n draws gave each outcome.
function random.multinomial(...)
  local given = read_multinomial(...)
  local p = tide.as_tensor(given.pvals, {dtype = "float32"})
  if p:dim() ~= 1 then
    raise("random.multinomial: pvals: expected a list, got %d dimensions", p:dim())
  end
  local shape = shape_of("random.multinomial", given.size)
  local times = 1
  for _, size in ipairs(shape) do times = times * size end
  local counts = tide.zeros({times, #p}, {dtype = "int64", device = p.device})
  if given.n > 0 and times > 0 then
    local draws = tide.multinomial(p:expand(times, #p), given.n, true)
    counts = counts:scatter_add(2, draws, tide.ones_like(draws))
  end
  return counts:reshape(with_size("random.multinomial", given.size, #p))
end

return strict_table("tide.random", random)
