-- Ops of one tensor: a row per op, which tests values, gradients, dtypes, views and devices.
-- `from` and `to` bound the inputs; `gradient = false` where it is zero or undefined almost
-- everywhere.
local exp, log, abs = math.exp, math.log, math.abs

local function tanh(x) return (exp(x) - exp(-x)) / (exp(x) + exp(-x)) end

local function sigmoid(x) return 1 / (1 + exp(-x)) end

local function round_even(x)
  local floor = math.floor(x)
  local rest = x - floor
  if rest ~= 0.5 then return math.floor(x + 0.5) end
  return floor % 2 == 0 and floor or floor + 1
end

--- By the series of erf, and bisection.
local function erfinv(y)
  local low, high = -3, 3
  for _ = 1, 60 do
    local x = (low + high) / 2
    local term, sum = x, x
    for n = 1, 60 do
      term = -term * x * x / n
      sum = sum + term / (2 * n + 1)
    end
    if sum * 2 / math.sqrt(math.pi) < y then low = x else high = x end
  end
  return low
end

local function toward_zero(x) return x < 0 and math.ceil(x) or math.floor(x) end

return {
  {op = "abs", from = -3, to = 3, reference = abs},
  {op = "acos", from = -0.95, to = 0.95, reference = math.acos},
  {op = "acosh", from = 1.1, to = 9,
    reference = function(x) return log(x + math.sqrt(x * x - 1)) end},
  {op = "angle", from = -3, to = 3, reference = function(x) return x < 0 and math.pi or 0 end,
    gradient = false},
  {op = "asin", from = -0.95, to = 0.95, reference = math.asin},
  {op = "asinh", from = -5, to = 5, reference = function(x)
    local y = log(abs(x) + math.sqrt(x * x + 1))
    return x < 0 and -y or y
  end},
  {op = "atan", from = -5, to = 5, reference = math.atan},
  {op = "atanh", from = -0.9, to = 0.9,
    reference = function(x) return 0.5 * log((1 + x) / (1 - x)) end},
  {op = "ceil", from = -5, to = 5, reference = math.ceil, gradient = false},
  {op = "cos", from = -9, to = 9, reference = math.cos},
  {op = "cosh", from = -4, to = 4, reference = function(x) return (exp(x) + exp(-x)) / 2 end},
  {op = "erfinv", from = -0.95, to = 0.95, reference = erfinv},
  {op = "exp", from = -6, to = 6, reference = exp},
  {op = "exp2", from = -6, to = 6, reference = function(x) return 2.0 ^ x end},
  {op = "expm1", from = -3, to = 3, reference = function(x) return exp(x) - 1 end},
  {op = "floor", from = -5, to = 5, reference = math.floor, gradient = false},
  {op = "frac", from = -5, to = 5, reference = function(x) return x - toward_zero(x) end,
    gradient = false},
  {op = "log", from = 0.1, to = 20, reference = log},
  {op = "log10", from = 0.1, to = 20, reference = function(x) return log(x, 10) end},
  {op = "log1p", from = -0.9, to = 20, reference = function(x) return log(1 + x) end},
  {op = "log2", from = 0.1, to = 20, reference = function(x) return log(x, 2) end},
  {op = "neg", from = -3, to = 3, reference = function(x) return -x end},
  {op = "reciprocal", from = 0.2, to = 5, reference = function(x) return 1 / x end},
  {op = "relu", from = -3, to = 3, reference = function(x) return math.max(x, 0.0) end},
  {op = "round", from = -5, to = 5, reference = round_even, gradient = false},
  {op = "rsqrt", from = 0.1, to = 9, reference = function(x) return 1 / math.sqrt(x) end},
  {op = "sigmoid", from = -9, to = 9, reference = sigmoid},
  {op = "sign", from = -3, to = 3, reference = function(x) return x < 0 and -1 or 1 end,
    gradient = false},
  {op = "sin", from = -9, to = 9, reference = math.sin},
  {op = "sinh", from = -4, to = 4, reference = function(x) return (exp(x) - exp(-x)) / 2 end},
  {op = "sqrt", from = 0.1, to = 9, reference = math.sqrt},
  {op = "square", from = -3, to = 3, reference = function(x) return x * x end},
  {op = "tan", from = -1.3, to = 1.3, reference = math.tan},
  {op = "tanh", from = -4, to = 4, reference = tanh},
  {op = "trunc", from = -5, to = 5, reference = toward_zero, gradient = false},
}
