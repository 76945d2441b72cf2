-- Statistics of the values of a tensor, on its device and not read yet.
local tide = require "tide"

local statistics = {}

-- The figures of a tensor, in this order. Those of its finite values: mean, deviation, least and largest. The shares
-- of values that are 0, nan and infinite; the first step with a value that was not finite; and how many units are
-- dead.
local kMean <const>, kDeviation <const>, kLow <const>, kHigh <const>, kZeros <const>, kNan <const>,
  kInfinite <const>, kSince <const>, kDead <const> = 1, 2, 3, 4, 5, 6, 7, 8, 9

--- The share of elements that are true.
local function share(condition, kind) return condition:to(kind):mean() end

--- The figures of x at a step, a vector. `before` is the first step with a value that was not finite so far, a
--- tensor or nil, and so is `dead`, the number of dead units. The second result is what `before` is next time.
function statistics.figures(x, step, before, dead)
  if x.dtype ~= "float64" then x = x:float() end
  local kind, where = x.dtype, tide.where
  local finite, nan, infinite = x:isfinite(), share(x:isnan(), kind), share(x:isinf(), kind)
  local bad = nan + infinite
  local count = (1 - bad) * x:numel()
  local mean = where(finite, x, 0):sum() / count
  local off = where(finite, x - mean, 0)
  local since = where(bad:gt(0), step, math.huge):to(kind)
  if before then since = before:minimum(since) end
  return tide.stack {
    mean, ((off * off):sum() / count):sqrt(), where(finite, x, math.huge):amin(),
    where(finite, x, -math.huge):amax(), share(x:eq(0), kind), nan, infinite, since,
    dead and dead:to(kind) or bad * 0,
  }, since
end

--- The unit dimension of an output whose last layer with weights had them in a matrix or more: a convolution's
--- comes before those of its kernel, else it is the last.
local function unit_dim(x, weight_dims)
  local dim = x:dim() - math.max(weight_dims - 2, 0)
  return dim >= 1 and dim or x:dim()
end

--- How many times in a row the outputs of each unit were all 0, now that x is the output. `before` is what this
--- was the last time.
function statistics.idle_runs(x, weight_dims, before)
  local unit, dims = unit_dim(x, weight_dims), {}
  for d = 1, x:dim() do
    if d ~= unit then dims[#dims + 1] = d end
  end
  local active = x:ne(0)
  if #dims > 0 then active = active:any(dims) end
  local runs = before and before.shape[1] == active.shape[1] and before + 1 or tide.ones_like(active, {dtype = "int32"})
  return tide.where(active, 0, runs)
end

--- The number of units that were idle this number of times in a row.
function statistics.dead_units(runs, times) return runs:ge(times):sum() end

--- The sum of squares of the finite values, from the figures of `size` values, as a tensor.
function statistics.square_sum(figures, size)
  local mean, deviation = figures[kMean], figures[kDeviation]
  return (mean * mean + deviation * deviation) * (size * (1 - figures[kNan] - figures[kInfinite]))
end

--- How many units figures say are dead, as a tensor.
function statistics.dead(figures) return figures[kDead] end

--- What figures say, as a table of numbers: nan where there is no finite value.
function statistics.read(figures)
  local some = figures[kLow] < math.huge
  local function of_some(place) return some and figures[place] or 0 / 0 end
  return {
    mean = of_some(kMean), std = of_some(kDeviation), min = of_some(kLow), max = of_some(kHigh),
    zeros = figures[kZeros], nan = figures[kNan], inf = figures[kInfinite],
    since = figures[kSince] < math.huge and math.tointeger(figures[kSince]) or nil,
    dead = math.tointeger(figures[kDead]),
  }
end

return statistics
