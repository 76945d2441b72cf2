-- nn.init: initial values according to formulas and distributions.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local init = tide.nn.init
local sqrt = math.sqrt

describe("initial values", function(device)
  local function new(...) return tide.zeros({...}, {device = device, dtype = "float64"}) end

  it("orthogonal_ makes orthonormal rows, or columns of a tall matrix, times the gain", function()
    tide.manual_seed(1)
    local identity = tide.eye(3, {dtype = "float64", device = device})
    for _, shape in ipairs {{3, 5}, {3, 3}, {3, 2, 4}} do
      local rows = init.orthogonal_(new(table.unpack(shape)), 2):flatten(2)
      close(rows:matmul(rows:t()), identity * 4, {atol = 1e-12})
    end
    local columns = init.orthogonal_(new(5, 3))
    close(columns:t():matmul(columns), identity, {atol = 1e-12})
    raises("orthogonal_: expected a weight of at least 2 dimensions, got 1", init.orthogonal_, new(3))
  end)
  it("orthogonal_ has no preferred direction", function()
    -- In a uniform rotation of the plane the first entry is equally often negative and positive; the
    -- factors of a plain QR decomposition have only one sign.
    tide.manual_seed(2)
    local negative, count = 0, 200
    for _ = 1, count do
      if init.orthogonal_(new(2, 2))[{1, 1}]:item() < 0 then negative = negative + 1 end
    end
    test.is_true(math.abs(negative - count / 2) < 4 * sqrt(count) / 2, negative)
  end)
  it("sparse_ makes a fraction of each column zero, and the rest normal", function()
    tide.manual_seed(3)
    local x = init.sparse_(new(40, 50), 0.31, 3)
    -- ceil(0.31 * 40) in each column.
    equal(x:eq(0):sum(1):tolist(), tide.full({50}, 13):long():tolist())
    test.is_true(x:eq(0):sum(2):unique():numel() > 1)
    local rest = x[x:ne(0)]
    close(rest:std():item(), 3, {rtol = 0.1})
    close(rest:mean():item(), 0, {atol = 0.3})
    close(init.sparse_(new(100, 100), 0.5):ne(0):sum():item(), 5000)
    close(init.sparse_(new(100, 100), 0.5):std():item(), 0.01 / sqrt(2), {rtol = 0.1})
    raises("sparse_: expected a matrix, got 3 dimensions", init.sparse_, new(2, 2, 2), 0.1)
  end)
  it("calculate_gain has PyTorch's factors", function()
    local gains = {linear = 1, conv1d = 1, conv2d = 1, conv3d = 1, sigmoid = 1, tanh = 5 / 3,
      relu = sqrt(2), selu = 0.75, leaky_relu = sqrt(2 / (1 + 0.01 ^ 2))}
    for name, gain in pairs(gains) do
      close(init.calculate_gain(name), gain, {rtol = 1e-15, atol = 0})
    end
    close(init.calculate_gain("leaky_relu", 0.5), sqrt(1.6), {rtol = 1e-15, atol = 0})
    raises("calculate_gain: unknown nonlinearity: gelu", init.calculate_gain, "gelu")
  end)
  it("eye_ and dirac_ preserve their inputs", function()
    equal(init.eye_(new(2, 3)):tolist(), {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}})
    local x = tide.randn({1, 4, 5}, {dtype = "float64", device = device})
    local conv = tide.nn.functional.conv1d
    close(conv(x, init.dirac_(new(4, 4, 3)), nil, 1, 1), x)
    close(conv(x, init.dirac_(new(4, 2, 3), 2), nil, 1, 1, 1, 2), x)
    -- With more outputs than inputs the last ones are zero.
    close(conv(x, init.dirac_(new(5, 4, 3)), nil, 1, 1)[{1, 5}], tide.zeros(5):double())
    raises("dirac_: 3 channels do not divide into 2 groups", init.dirac_, new(3, 2, 3), 2)
  end)

  --- The largest of many values, and their standard deviation.
  local function spread(x) return x:abs():max():item(), x:std():item() end

  -- fan_in is 30 * 4, fan_out 20 * 4.
  local bounds = {
    {"xavier_uniform_", {}, sqrt(6 / 200)}, {"xavier_uniform_", {gain = 3}, 3 * sqrt(6 / 200)},
    {"kaiming_uniform_", {}, sqrt(6 / 120)},
    {"kaiming_uniform_", {a = 0.5}, sqrt(6 / 1.25 / 120)},
    {"kaiming_uniform_", {mode = "fan_out", nonlinearity = "tanh"}, 5 / 3 * sqrt(3 / 80)},
  }
  for _, case in ipairs(bounds) do
    local name, options, bound = table.unpack(case)
    it(("%s is uniform up to %.4f"):format(name, bound), function()
      tide.manual_seed(4)
      local largest, std = spread(init[name](new(20, 30, 4), options))
      test.is_true(largest <= bound and largest > 0.99 * bound)
      close(std, bound / sqrt(3), {rtol = 0.05})
    end)
  end
  local spreads = {
    {"xavier_normal_", {}, sqrt(2 / 200)}, {"xavier_normal_", {gain = 3}, 3 * sqrt(2 / 200)},
    {"kaiming_normal_", {}, sqrt(2 / 120)},
    {"kaiming_normal_", {mode = "fan_out", nonlinearity = "relu"}, sqrt(2 / 80)},
  }
  for _, case in ipairs(spreads) do
    local name, options, expected = table.unpack(case)
    it(("%s has the standard deviation %.4f"):format(name, expected), function()
      tide.manual_seed(5)
      local largest, std = spread(init[name](new(20, 30, 4), options))
      close(std, expected, {rtol = 0.05})
      test.is_true(largest > 2.5 * expected and largest < 6 * expected)
    end)
  end
  it("trunc_normal_ stays within its limits, which truncate the tails", function()
    tide.manual_seed(6)
    local x = init.trunc_normal_(new(20000), {mean = 1, std = 2, a = 0, b = 3})
    test.is_true(x:min():item() >= 0 and x:max():item() <= 3)
    -- The mean and deviation of scipy.stats.truncnorm(-0.5, 1, 1, 2).
    close(x:mean():item(), 1.4132624, {atol = 0.03})
    close(x:std():item(), 0.8313201, {atol = 0.03})
    local y = init.trunc_normal_(new(20000))
    close({y:mean():item(), y:std():item()}, {0, 0.8796257}, {atol = 0.03})
  end)
  it("uniform_, normal_ and constant_ accept limits, and keep requires_grad", function()
    tide.manual_seed(7)
    local x = new(5000):requires_grad_()
    init.uniform_(x, 2, 5)
    test.is_true(x:min():item() >= 2 and x:max():item() <= 5 and x:max():item() > 4.9)
    init.uniform_(x)
    close(x:mean():item(), 0.5, {atol = 0.03})
    init.normal_(x, 3, 2)
    close({x:mean():item(), x:std():item()}, {3, 2}, {atol = 0.15})
    init.normal_(x)
    close({x:mean():item(), x:std():item()}, {0, 1}, {atol = 0.08})
    close(init.constant_(x, 0.5):unique():tolist(), {0.5})
    close(init.ones_(x):unique():tolist(), {1})
    close(init.zeros_(x):unique():tolist(), {0})
    equal({x.requires_grad, x.is_leaf}, {true, true})
  end)
end)
