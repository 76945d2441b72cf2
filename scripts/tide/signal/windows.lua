-- tide.signal.windows: windows of M numbers, symmetric unless sym is false; then they are the first
-- M of a symmetric window of M + 1, so that they repeat with period M.
local arguments = require "tide.internal.arguments"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"

local windows = {}

--- Defines a window: `declared` lists its own options, and make(places, last, given) gives it in
--- float64 for the places 0 .. M - 1 of a symmetric window that ends at place `last`.
local function define(name, declared, kinds, make)
  local parameters = {"M", table.unpack(declared)}
  local shared = {{"sym", true}, {"dtype"}, {"device"}, {"requires_grad", false}}
  table.move(shared, 1, #shared, #parameters + 1, parameters)
  kinds.M, kinds.sym, kinds.requires_grad = "count", "boolean", "boolean"
  local read = arguments(name, parameters, kinds)
  windows[name] = function(...)
    local given = read(...)
    local count, dtype = given.M, given.dtype or tide.get_default_dtype()
    if dtype ~= "float32" and dtype ~= "float64" then
      raise("%s: dtype: expected float32 or float64, got %s", name, tostring(dtype))
    end
    local places = tide.arange(count, {dtype = "float64", device = given.device})
    local last = (given.sym or count == 1) and count - 1 or count
    return make(places, last, given):to(dtype):requires_grad_(given.requires_grad)
  end
end

--- The sum of (-1)^i a[i + 1] cos(2 pi i place / last).
local function cosines(places, last, a)
  local angle = places * (2 * math.pi / math.max(last, 1))
  if last == 0 then return tide.ones_like(places) end
  local sum = tide.zeros_like(places)
  for i, weight in ipairs(a) do
    sum = sum + (angle * (i - 1)):cos() * (i % 2 == 1 and weight or -weight)
  end
  return sum
end

local function define_cosines(name, a)
  define(name, {}, {}, function(places, last) return cosines(places, last, a) end)
end

define_cosines("blackman", {0.42, 0.5, 0.08})
define_cosines("hamming", {0.54, 0.46})
define_cosines("hann", {0.5, 0.5})
define_cosines("nuttall", {0.3635819, 0.4891775, 0.1365995, 0.0106411})

define("general_cosine", {"a"}, {a = "table"}, function(places, last, given)
  if #given.a == 0 then raise("general_cosine: expected at least one weight") end
  return cosines(places, last, given.a)
end)

define("general_hamming", {{"alpha", 0.54}}, {alpha = "number"}, function(places, last, given)
  return cosines(places, last, {given.alpha, 1 - given.alpha})
end)

define("bartlett", {}, {}, function(places, last)
  if last == 0 then return tide.ones_like(places) end
  return 1 - (places * (2 / last) - 1):abs()
end)

define("cosine", {}, {}, function(places, last)
  return ((places + 0.5) * (math.pi / (last + 1))):sin()
end)

define("exponential", {{"center"}, {"tau", 1.0}}, {center = "number", tau = "number"},
  function(places, last, given)
    if given.tau <= 0 then raise("exponential: tau must be positive, got %g", given.tau) end
    if given.center and given.sym then
      raise("exponential: the center of a symmetric window is its middle: use sym = false")
    end
    return (-(places - (given.center or last / 2)):abs() / given.tau):exp()
  end)

define("gaussian", {{"std", 1.0}}, {std = "number"}, function(places, last, given)
  if given.std <= 0 then raise("gaussian: std must be positive, got %g", given.std) end
  local distance = (places - last / 2) / given.std
  return (distance * distance * -0.5):exp()
end)

define("kaiser", {{"beta", 12.0}}, {beta = "number"}, function(places, last, given)
  local beta = given.beta
  if beta < 0 then raise("kaiser: beta must be non-negative, got %g", beta) end
  if last == 0 then return tide.ones_like(places) end
  local place = places * (2 / last) - 1
  local height = (1 - place * place):clamp(0.0):sqrt() * beta
  -- Scaled, so that a large beta does not overflow.
  local top = tide.full_like(height, beta)
  return tide.special.i0e(height) / tide.special.i0e(top) * (height - beta):exp()
end)

return strict_table("tide.signal.windows", windows)
