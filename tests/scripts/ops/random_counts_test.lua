-- Random counts: their distributions, by chi squared tests; and that
-- they are the same everywhere.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local wide <const> = {dtype = "float64"}

--- The distance of chi squared of the counts `x` from its mean, in standard deviations.
--- `log_probability` is of the counts `low` to `high`; the ends include all beyond and are not
--- used.
local function excess(x, log_probability, low, high)
  local counts = (x:clamp(low, high) - low + 1):to("int64"):bincount({minlength = high - low + 1})
  local expected = log_probability(tide.range(low, high, wide)):exp() * x:numel()
  local parts = (counts - expected):square() / expected
  local freedom = high - low - 1
  return (parts[{ {2, -2} }]:sum():item() - freedom) / math.sqrt(2 * freedom)
end

--- The integers around a mean that include nearly all counts.
local function range_around(mean, deviation, most)
  local low, high = mean - 3.5 * deviation, mean + 3.5 * deviation
  return math.max(0, math.floor(low)), math.min(most, math.ceil(high))
end

describe("random counts", function(device)
  it("follow Poisson's distribution", function()
    tide.manual_seed(7)
    for _, rate in ipairs {0.5, 9.0, 10.0, 50.0, 1000.0} do
      local x = tide.poisson(tide.full({200000}, rate, {dtype = "float64", device = device})):cpu()
      local low, high = range_around(rate, math.sqrt(rate), math.huge)
      local far = excess(x, function(k) return k * math.log(rate) - rate - (k + 1):lgamma() end,
        low, high)
      test.is_true(math.abs(far) < 4, ("rate %g: %g"):format(rate, far))
    end
  end)
  it("follow the binomial distribution", function()
    tide.manual_seed(8)
    for _, case in ipairs {{10, 0.3}, {50, 0.15}, {50, 0.5}, {100, 0.9}, {1000, 0.02}} do
      local n, p = table.unpack(case)
      local x = tide.binomial(tide.full({200000}, n, {dtype = "float64", device = device}),
        tide.full({}, p, {dtype = "float64", device = device})):cpu()
      local low, high = range_around(n * p, math.sqrt(n * p * (1 - p)), n)
      local ways = tide.tensor(n + 1.0, wide):lgamma()
      local far = excess(x, function(k)
        return ways - (k + 1):lgamma() - (n - k + 1):lgamma() + k * math.log(p)
          + (n - k) * math.log(1 - p)
      end, low, high)
      test.is_true(math.abs(far) < 4, ("%d tries of %g: %g"):format(n, p, far))
    end
  end)
  it("are the same on all devices, for any number of threads, eager or not", function()
    local function draw(on)
      tide.manual_seed(3)
      local rates = tide.linspace(0, 40, 3000, {device = on})
      return {tide.poisson(rates):tolist(), tide.binomial(rates, rates / 40):tolist()}
    end
    local threads = tide.get_num_threads()
    local expected = draw("cpu")
    equal(draw(device), expected)
    tide.set_num_threads(1)
    local alone = draw(device)
    tide.set_num_threads(threads)
    equal(alone, expected)
    equal(tide.eager(function() return draw(device) end), expected)
  end)
  it("are nan for invalid parameters", function()
    local nan <const>, inf <const> = 0 / 0, 1 / 0
    local function row(values) return tide.tensor(values, {device = device}) end
    equal(tide.poisson(row {inf, 0.0}):isnan():tolist(), {true, false})
    equal(tide.binomial(row {3.0, 3.0, -1.0, 3.0}, row {1.5, nan, 0.5, 1.0}):isnan():tolist(),
      {true, true, true, false})
    raises("binomial: the types differ: float32 and int64",
      tide.binomial, row {1.0}, row {1})
    raises("poisson: expected rates of a floating type, got int64", tide.poisson, row {1})
  end)
end)
