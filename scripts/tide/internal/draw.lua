-- Random numbers on the host, from the stream that random tensors use, so that one seed determines
-- both. They are neither recorded nor waited for.
local tide = require "tide"

local draw = {}

local kLow <const> = 0xffffffff

--- The four words of Philox4x32-10 for a counter and a key of 64 bits.
local function philox(counter, key)
  local c0, c1, c2, c3 = counter & kLow, counter >> 32, 0, 0
  local k0, k1 = key & kLow, key >> 32
  for _ = 1, 10 do
    local a, b = 0xd2511f53 * c0, 0xcd9e8d57 * c2
    c0, c1, c2, c3 = (b >> 32) ~ c1 ~ k0, b & kLow, (a >> 32) ~ c3 ~ k1, a & kLow
    k0, k1 = (k0 + 0x9e3779b9) & kLow, (k1 + 0xbb67ae85) & kLow
  end
  return c0, c1, c2, c3
end

--- Uniform in [0, 1) with 53 bits: the value of tide.rand(1, {dtype = "float64"}).
function draw.unit()
  local state = tide.get_rng_state()
  local high, low = philox(state.offset, state.seed)
  state.offset = state.offset + 1
  tide.set_rng_state(state)
  return ((high >> 5) * 2.0 ^ 26 + (low >> 6)) * 2.0 ^ -53
end

--- Uniform between two numbers.
function draw.uniform(from, to) return from + (to - from) * draw.unit() end

--- An integer in first..last.
function draw.integer(first, last) return first + math.floor(draw.unit() * (last - first + 1)) end

--- True with a probability.
function draw.chance(p) return draw.unit() < p end

--- A random permutation of 1..count.
function draw.permutation(count)
  local order = {}
  for i = 1, count do order[i] = i end
  for i = count, 2, -1 do
    local other = draw.integer(1, i)
    order[i], order[other] = order[other], order[i]
  end
  return order
end

--- Normal with mean 0 and variance 1.
local function normal()
  return math.sqrt(-2 * math.log(1 - draw.unit())) * math.cos(2 * math.pi * draw.unit())
end

--- Of the gamma distribution (Marsaglia and Tsang 2000).
local function gamma(shape)
  if shape < 1 then return gamma(shape + 1) * (1 - draw.unit()) ^ (1 / shape) end
  local d = shape - 1 / 3
  while true do
    local x = normal()
    local v = (1 + x / math.sqrt(9 * d)) ^ 3
    if v > 0 and math.log(1 - draw.unit()) < 0.5 * x * x + d - d * v + d * math.log(v) then return d * v end
  end
end

--- `count` shares of 1, of the Dirichlet distribution with equal parameters.
function draw.shares(count, parameter)
  local shares, sum = {}, 0
  for i = 1, count do
    shares[i] = gamma(parameter)
    sum = sum + shares[i]
  end
  -- All of them underflow only for tiny parameters, where one share is 1.
  if sum == 0 then
    shares[draw.integer(1, count)] = 1
    sum = 1
  end
  for i = 1, count do shares[i] = shares[i] / sum end
  return shares
end

--- Of the beta distribution with equal parameters.
function draw.beta(parameter) return draw.shares(2, parameter)[1] end

return draw
