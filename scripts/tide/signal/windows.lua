-- tide.signal.windows: windows of M elements. They are symmetric, or periodic with sym = false: the first M elements
-- of a symmetric window of M + 1.
local reader = require "tide.internal.declare.reader"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"

local windows = {}

--- Makes the window declared as `declared`: make(places, last, given) computes it in float64 at the positions
--- 0 .. M - 1 of a symmetric window that ends at position `last`.
local function window(declared, make)
  local read, name = reader(declared), declared:match "[%w_]+$"
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

--- Makes a window that is a sum of cosines with the weights `a`.
local function of_cosines(a)
  return function(places, last) return cosines(places, last, a) end
end

--- Blackman window.
---@use signal: M, sym = true, dtype = nil, device = nil, requires_grad = false
---@example
--- tide.signal.windows.blackman(4, {sym = false})[{{2, 4}}] --> {0.34, 1.0, 0.34}
window("signal.windows.blackman", of_cosines {0.42, 0.5, 0.08})

--- Hamming window: 0.54 - 0.46 times a cosine.
---@like signal.windows.blackman
---@example
--- tide.signal.windows.hamming(3) --> {0.08, 1.0, 0.08}
window("signal.windows.hamming", of_cosines {0.54, 0.46})

--- Hann window: a raised cosine.
---@like signal.windows.blackman
---@example
--- tide.signal.windows.hann(5) --> {0.0, 0.5, 1.0, 0.5, 0.0}
window("signal.windows.hann", of_cosines {0.5, 0.5})

--- Nuttall window.
---@like signal.windows.blackman
---@example
--- tide.signal.windows.nuttall(3) --> {0.0003628, 1.0, 0.0003628}
window("signal.windows.nuttall", of_cosines {0.3635819, 0.4891775, 0.1365995, 0.0106411})


--- A sum of cosines with the weights a and alternating signs.
---@use signal: M
---@param a number[] | tensor  weights of the cosines
---@use signal: sym = true, dtype = nil, device = nil, requires_grad = false
---@example
--- tide.signal.windows.general_cosine(3, {0.5, 0.5}) --> {0.0, 1.0, 0.0}
window("signal.windows.general_cosine", function(places, last, given)
  if #given.a == 0 then raise("general_cosine: expected at least one weight") end
  return cosines(places, last, given.a)
end)

--- General Hamming window: alpha - (1 - alpha) times a cosine.
---@use signal: M
---@param alpha number = 0.54  the constant term
---@use signal: sym = true, dtype = nil, device = nil, requires_grad = false
---@example
--- tide.signal.windows.general_hamming(3, {alpha = 0.6}) --> {0.2, 1.0, 0.2}
window("signal.windows.general_hamming", function(places, last, given)
  return cosines(places, last, {given.alpha, 1 - given.alpha})
end)

--- Bartlett window: a triangle that reaches 0.
---@like signal.windows.blackman
---@example
--- tide.signal.windows.bartlett(5) --> {0.0, 0.5, 1.0, 0.5, 0.0}
window("signal.windows.bartlett", function(places, last)
  if last == 0 then return tide.ones_like(places) end
  return 1 - (places * (2 / last) - 1):abs()
end)

--- Cosine window: half a period of a sine.
---@like signal.windows.blackman
---@example
--- tide.signal.windows.cosine(3) --> {0.5, 1.0, 0.5}
window("signal.windows.cosine", function(places, last)
  return ((places + 0.5) * (math.pi / (last + 1))):sin()
end)

--- Exponential window: decays from the center by a factor of e every tau elements.
---@use signal: M
---@param center number = nil  position of the peak, in elements, only with sym = false; nil is the middle
---@param tau number > 0 = 1.0  decay length, in elements
---@use signal: sym = true, dtype = nil, device = nil, requires_grad = false
---@example
--- tide.signal.windows.exponential(3) --> {0.3679, 1.0, 0.3679}
window("signal.windows.exponential", function(places, last, given)
  if given.center and given.sym then
    raise("exponential: the center of a symmetric window is its middle: use sym = false")
  end
  return (-(places - (given.center or last / 2)):abs() / given.tau):exp()
end)

--- Gaussian window with a given standard deviation.
---@use signal: M
---@param std number > 0 = 1.0  standard deviation, in elements
---@use signal: sym = true, dtype = nil, device = nil, requires_grad = false
---@example
--- tide.signal.windows.gaussian(3) --> {0.6065, 1.0, 0.6065}
window("signal.windows.gaussian", function(places, last, given)
  local distance = (places - last / 2) / given.std
  return (distance * distance * -0.5):exp()
end)

--- Kaiser window; a larger beta makes it narrower.
---@use signal: M
---@param beta number >= 0 = 12.0  shape of the window
---@use signal: sym = true, dtype = nil, device = nil, requires_grad = false
---@example
--- tide.signal.windows.kaiser(3, {beta = 1}) --> {0.7898, 1.0, 0.7898}
window("signal.windows.kaiser", function(places, last, given)
  local beta = given.beta
  if last == 0 then return tide.ones_like(places) end
  local place = places * (2 / last) - 1
  local height = (1 - place * place):clamp(0.0):sqrt() * beta
  -- Scaled, so that a large beta does not overflow.
  local top = tide.full_like(height, beta)
  return tide.special.i0e(height) / tide.special.i0e(top) * (height - beta):exp()
end)

return strict_table("tide.signal.windows", windows)
