-- tide.random: random numbers under NumPy's names. Positions and integers count from 1, and
-- ranges include both ends, as everywhere in tide. One generator serves all devices.
local checked = require "tide.internal.declare.checked"
local reader = require "tide.internal.declare.reader"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"

local random = {}

--- The options of a new tensor.
local function options_of(given)
  return {dtype = given.dtype, device = given.device or given.ctx}
end

--- The shape for `size`: a number, a list, or nil for the common shape of the parameters.
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

--- Seeds the generator; without a seed, with a new random one.
---@param seed integer = nil  the seed; nil gets one from the system
---@see tide.manual_seed tide.Generator tide.get_rng_state
---@example
--- tide.random.seed(1)
--- local a = tide.random.rand(3)
--- tide.random.seed(1)
--- a:equal(tide.random.rand(3)) --> true
random.seed = checked("random.seed", function(seed)
  if seed == nil then tide.seed() else tide.manual_seed(seed) end
end)

--- The state of the generator.
---@example
--- local state = tide.random.get_state()
--- local a = tide.random.rand(3)
--- tide.random.set_state(state)
--- a:equal(tide.random.rand(3)) --> true
random.get_state = checked("random.get_state", function() return tide.get_rng_state() end)

--- Restores a state of the generator.
---@param state any  result of get_state
---@example
--- tide.random.set_state(tide.random.get_state())
random.set_state = checked("random.set_state", function(state) tide.set_rng_state(state) end)

--- Uniform random numbers in 0..1.
---@param size... integer | integer[]  sizes of the result; nil for one number
---@see tide.rand tide.randn tide.randint tide.manual_seed tide.random.normal
---@example
--- tide.random.rand(2, 3).shape --> {2, 3}
random.rand = checked("random.rand", function(...) return tide.rand({...}) end)

--- Normal random numbers with mean 0 and variance 1.
---@param size... integer | integer[]  sizes of the result; nil for one number
---@see tide.rand tide.randn tide.randint tide.manual_seed tide.random.normal
---@example
--- tide.random.randn(2, 3).shape --> {2, 3}
random.randn = checked("random.randn", function(...) return tide.randn({...}) end)

-- Distributions, as functions of uniform or normal numbers ----------------------------------------

--- Makes the function declared as `declared`, NAME(a, b, size, options), from standard random numbers `z`.
local function distribution(declared, standard, transform)
  local read = reader(declared)
  local name = declared:match "[%w_]+$"
  random[name] = function(...)
    local given, names = read(...)
    local a = names[1] ~= "size" and given[names[1]] or nil
    local b = a ~= nil and names[2] ~= "size" and given[names[2]] or nil
    local shape = shape_of(declared, given.size, a, b)
    return transform(standard(shape, options_of(given)), a, b)
  end
end

--- Uniform numbers that are never 0, so that their logarithm is finite.
local function positive(shape, options) return 1 - tide.rand(shape, options) end

--- Uniform numbers that are never 0 and never 1. The steps of tide.rand are eps / 2.
local function inside(shape, options)
  local z = tide.rand(shape, options)
  return z:clamp(tide.finfo(z.dtype).eps / 4)
end

--- Uniform distribution in 0..1.
---@use random: size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.random(3).shape --> {3}
distribution("random.random", tide.rand, function(z) return z end)

--- Uniform distribution in low..high.
---@param low number | tensor = 0.0  lower bound
---@param high number | tensor = 1.0  upper bound
---@use random: size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.uniform(2, 2, {3}) --> {2.0, 2.0, 2.0}
distribution("random.uniform", tide.rand, function(z, low, high)
  return z * (high - low) + low
end)

--- Normal distribution with mean loc and standard deviation scale.
---@use random: loc = 0.0, scale = 1.0, size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.normal(5, 0, {3}) --> {5.0, 5.0, 5.0}
distribution("random.normal", tide.randn, function(z, loc, scale)
  return z * scale + loc
end)

--- Normal distribution with mean 0 and standard deviation 1.
---@like random.random
---@example
--- tide.random.standard_normal({2, 3}).shape --> {2, 3}
distribution("random.standard_normal", tide.randn, function(z) return z end)

--- Log-normal distribution: exp of normal numbers.
---@param mean number | tensor = 0.0  mean of the logarithm
---@param sigma tensor | number >= 0 = 1.0  standard deviation of the logarithm
---@use random: size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.lognormal(0, 0, 2) --> {1.0, 1.0}
distribution("random.lognormal", tide.randn, function(z, mean, sigma)
  return (z * sigma + mean):exp()
end)

--- Exponential distribution with mean scale.
---@use random: scale = 1.0, size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.exponential(0, 2) --> {0.0, 0.0}
distribution("random.exponential", positive, function(z, scale)
  return -z:log() * scale
end)

--- Exponential distribution with mean 1.
---@like random.random
---@example
--- tide.random.standard_exponential({2, 3}).shape --> {2, 3}
distribution("random.standard_exponential", positive, function(z) return -z:log() end)

--- Gumbel distribution.
---@like random.normal
---@example
--- tide.random.gumbel(1, 0, 2) --> {1.0, 1.0}
distribution("random.gumbel", inside, function(z, loc, scale)
  return loc - (-z:log()):log() * scale
end)

--- Logistic distribution.
---@like random.normal
---@example
--- tide.random.logistic(1, 1, {2, 3}).shape --> {2, 3}
distribution("random.logistic", inside, function(z, loc, scale)
  return z:logit() * scale + loc
end)

--- Cauchy distribution.
---@like random.random
---@example
--- tide.random.standard_cauchy(4).shape --> {4}
distribution("random.standard_cauchy", inside, function(z) return ((z - 0.5) * math.pi):tan() end)

--- Laplace distribution.
---@like random.normal
---@example
--- tide.random.laplace(1, 0, 2) --> {1.0, 1.0}
distribution("random.laplace", inside, function(z, loc, scale)
  local side = z - 0.5
  return loc - side:sign() * (1 - side:abs() * 2):log() * scale
end)

--- Rayleigh distribution.
---@like random.exponential
---@example
--- tide.random.rayleigh(0, 2) --> {0.0, 0.0}
distribution("random.rayleigh", positive, function(z, scale)
  return (-2 * z:log()):sqrt() * scale
end)

--- Weibull distribution with shape a.
---@use random: a = 1.0, size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.weibull(2, {4}).shape --> {4}
distribution("random.weibull", positive, function(z, a)
  return (-z:log()) ^ (1 / a)
end)

--- Pareto (Lomax) distribution with shape a, starting at 0.
---@like random.weibull
---@example
--- tide.random.pareto(2, {4}).shape --> {4}
distribution("random.pareto", positive, function(z, a)
  return z ^ (-1 / a) - 1
end)

--- Power distribution: density a * x ^ (a - 1) in 0..1.
---@like random.weibull
---@example
--- tide.random.power(2, {4}).shape --> {4}
distribution("random.power", positive, function(z, a)
  return z ^ (1 / a)
end)

--- Poisson distribution.
---@param lam tensor | number >= 0 = 1.0  mean
---@use random: size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.poisson(0, 2) --> {0.0, 0.0}
distribution("random.poisson", tide.ones, function(one, lam)
  return tide.poisson(one * lam)
end)

--- Binomial distribution: the number of successes in n trials with probability p.
---@param n tensor | integer >= 0  number of trials
---@param p tensor | number in [0, 1]  probability of success
---@use random: size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.binomial(3, 1, 2) --> {3.0, 3.0}
local read_binomial = reader "random.binomial"

function random.binomial(...)
  local given = read_binomial(...)
  local shape = shape_of("random.binomial", given.size, given.n, given.p)
  local one = tide.ones(shape, options_of(given))
  return tide.binomial(one * given.n, one * given.p)
end

--- Geometric distribution: the number of trials until the first success.
---@param p tensor | number in (0, 1] = 0.5  probability of success in one trial
---@use random: size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.geometric(1, 2) --> {1.0, 1.0}
distribution("random.geometric", positive, function(z, p)
  return (z:log() / (tide.ones_like(z) * -p):log1p()):ceil():clamp(1)
end)

-- The gamma distribution, and those derived from it -----------------------------------------------

--- Gamma random numbers with the shapes in `a` (Marsaglia and Tsang, 2000). Candidates are drawn until all are
--- accepted, about 95% in each round, which waits.
local function gamma_numbers(a)
  local type = a.dtype
  if tide.finfo(type).bits == 16 then a = a:float() end
  local small = a:lt(1)
  local d = tide.where(small, a + 1, a) - 1 / 3
  -- Negative and infinite shapes have no distribution, and no candidate would be accepted.
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
  -- Shapes below 1 are computed from larger ones by a power of a uniform number.
  return tide.where(small, result * (1 - tide.rand_like(a)) ^ (1 / a), result):to(type)
end

--- Gamma distribution with scale 1; waits.
---@use random: shape = 1.0, size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.standard_gamma(2, {4}).shape --> {4}
distribution("random.standard_gamma", tide.ones, function(one, shape)
  return gamma_numbers(one * shape)
end)

--- Gamma distribution; waits.
---@use random: shape = 1.0, scale = 1.0, size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.gamma(2, 0, 2) --> {0.0, 0.0}
distribution("random.gamma", tide.ones, function(one, shape, scale)
  return gamma_numbers(one * shape) * scale
end)

--- Beta distribution; waits.
---@use random: a = 1.0
---@param b tensor | number >= 0 = 1.0  second shape parameter
---@use random: size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.beta(2, 0, 2) --> {1.0, 1.0}
distribution("random.beta", tide.ones, function(one, a, b)
  local x = gamma_numbers(one * a)
  return x / (x + gamma_numbers(one * b))
end)

--- Chi-squared distribution: the sum of df squared normal numbers; waits.
---@use random: df = 1.0, size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.chisquare(0, 2) --> {0.0, 0.0}
distribution("random.chisquare", tide.ones, function(one, df)
  return gamma_numbers(one * df / 2) * 2
end)

--- F-distribution: the ratio of two mean squares; waits.
---@param dfnum tensor | number >= 0 = 1.0  degrees of freedom of the numerator
---@param dfden tensor | number >= 0 = 1.0  degrees of freedom of the denominator
---@use random: size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.f(2, 3, {4}).shape --> {4}
distribution("random.f", tide.ones, function(one, dfnum, dfden)
  return gamma_numbers(one * dfnum / 2) / dfnum / (gamma_numbers(one * dfden / 2) / dfden)
end)

--- Student's t-distribution; waits.
---@like random.chisquare
---@example
--- tide.random.standard_t(3, {4}).shape --> {4}
distribution("random.standard_t", tide.randn, function(z, df)
  return z / (gamma_numbers(tide.ones_like(z) * df / 2) * 2 / df):sqrt()
end)

--- Negative binomial distribution: the number of failures before n successes; waits.
---@param n tensor | number >= 0 = 1.0  number of successes
---@param p tensor | number in (0, 1] = 0.5  probability of success
---@use random: size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.negative_binomial(3, 1, 2) --> {0.0, 0.0}
distribution("random.negative_binomial", tide.ones, function(one, n, p)
  return tide.poisson(gamma_numbers(one * n) * (1 - p) / p)
end)

--- Dirichlet distribution: positive numbers that add up to 1, one for each of alpha; waits.
---@param alpha number[] | tensor  concentration of each class
---@use random: size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.dirichlet({1, 2, 3}):sum() --> 1.0
local read_dirichlet = reader "random.dirichlet"

--- A list or a tensor as a floating tensor, with the options of the call.
local function floating(value, given)
  local options = options_of(given)
  options.dtype = options.dtype or not tide.is_tensor(value) and tide.get_default_dtype() or nil
  return tide.as_tensor(value, options)
end

--- The shape for `size`, with one more size appended.
local function with_size(name, size, last)
  local shape = shape_of(name, size)
  shape = table.move(shape, 1, #shape, 1, {})
  shape[#shape + 1] = last
  return shape
end

function random.dirichlet(...)
  local given = read_dirichlet(...)
  local alpha = floating(given.alpha, given)
  if alpha:dim() ~= 1 or #alpha == 0 then
    raise("random.dirichlet: alpha: expected a list, got %d dimensions", alpha:dim())
  end
  local x = gamma_numbers(alpha:expand(with_size("random.dirichlet", given.size, #alpha)))
  return x / x:sum(-1, true)
end

--- Multivariate normal distribution: vectors with these means and covariances.
---@param mean tensor | number[]  the means
---@param cov tensor | table  covariance matrix
---@use random: size = nil, dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.multivariate_normal({1, 2}, {{0, 0}, {0, 0}}) --> {1.0, 2.0}
local read_multivariate = reader "random.multivariate_normal"

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

-- Integers and choices ----------------------------------------------------------------------------

--- Random integers in low..high, inclusive; with only one limit, in 1..low.
---@param low integer  smallest integer; without high, the largest one, and 1 is the smallest
---@param high integer = nil  largest integer, inclusive
---@use random: size = nil
---@param dtype dtype = nil  type of the result; nil is int64
---@use random: device = nil, ctx = nil
---@see tide.randint tide.randperm tide.rand
---@example
--- tide.random.randint(2, 2, {3}) --> {2, 2, 2}
local read_randint = reader "random.randint"

function random.randint(...)
  local given = read_randint(...)
  local low, high = given.low, given.high
  if high == nil then low, high = 1, low end
  return tide.randint(low, high, shape_of("random.randint", given.size), options_of(given))
end

--- Rows as a tensor, or nil if `value` is their number; and their number.
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

--- Random elements of a list or of a tensor's first dimension, or of 1..a.
---@param a integer | tensor | table  values to draw from; a number for 1..a
---@use random: size = nil
---@param replace boolean = true  draw with replacement
---@param p number[] | tensor = nil  probabilities of the values; nil is uniform
---@use random: dtype = nil, device = nil, ctx = nil
---@example
--- tide.random.choice({7, 8}, 3, true, {0, 1}) --> {8, 8, 8}
local read_choice = reader "random.choice"

function random.choice(...)
  local given = read_choice(...)
  local rows, count = as_rows("random.choice", given.a)
  local shape = shape_of("random.choice", given.size)
  local wanted = 1
  for _, size in ipairs(shape) do wanted = wanted * size end
  if not given.replace and wanted > count then
    raise("random.choice: cannot draw %d of %d values without replacement", wanted, count)
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

--- Returns 1..x, or a copy of a list or tensor, in random order.
---@param x integer | tensor | table  a number, or rows to shuffle
---@example
--- tide.random.permutation(5):sum() --> 15
random.permutation = checked("random.permutation", function(x)
  local rows, count = as_rows("random.permutation", x)
  local order = tide.randperm(count, {device = rows and rows.device})
  return rows and rows:index_select(1, order) or order
end)

--- Shuffles a list, or a tensor's first dimension, in place.
---@param x tensor | table  rows to shuffle
---@example
--- local x = tide.range(1, 5)
--- tide.random.shuffle(x)
--- x:sum() --> 15
random.shuffle = checked("random.shuffle", function(x)
  if tide.is_tensor(x) then
    if x:dim() == 0 then raise("random.shuffle: a tensor without dimensions has no order") end
    tide.no_grad(function() x:copy_(x:index_select(1, tide.randperm(#x, {device = x.device}))) end)
    return
  end
  if #x == 0 then return end
  local before = table.move(x, 1, #x, 1, {})
  for i, from in ipairs(tide.randperm(#x, {device = "cpu"}):tolist()) do x[i] = before[from] end
end)

--- Multinomial distribution: the counts of each outcome in n draws.
---@param n integer >= 0  number of trials
---@param pvals number[] | tensor  probabilities of the classes
---@use random: size = nil
---@counts the numbers
---@see tide.randperm tide.randint tide.multinomial
---@example
--- tide.random.multinomial(3, {0.0, 1.0}) --> {0, 3}
random.multinomial = checked("random.multinomial", function(n, pvals, size)
  local p = tide.as_tensor(pvals, {dtype = "float32"})
  if p:dim() ~= 1 then
    raise("random.multinomial: pvals: expected a list, got %d dimensions", p:dim())
  end
  local shape = shape_of("random.multinomial", size)
  local times = 1
  for _, size in ipairs(shape) do times = times * size end
  local counts = tide.zeros({times, #p}, {dtype = "int64", device = p.device})
  if n > 0 and times > 0 then
    local draws = tide.multinomial(p:expand(times, #p), n, true)
    counts = counts:scatter_add(2, draws, tide.ones_like(draws))
  end
  return counts:reshape(with_size("random.multinomial", size, #p))
end)

--- Random numbers under NumPy's names: see tide.random.NAME.
---@type table
---@example
--- tide.random.randint(1, 1) --> 1
return strict_table("tide.random", random)
