-- Activations that other ops name in an attribute.
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Activations by their lower-case names, as functions of alpha and beta.
local activations = {
  relu = function() return tide.relu end,
  tanh = function() return tide.tanh end,
  sigmoid = function() return tide.sigmoid end,
  affine = function(a, b) return function(x) return x * (a or 1.0) + (b or 0.0) end end,
  leakyrelu = function(a) return function(x) return F.leaky_relu(x, a or 0.01) end end,
  thresholdedrelu = function(a) return function(x) return F.threshold(x, a or 1.0, 0.0) end end,
  scaledtanh = function(a, b)
    return function(x) return (x * (b or 1.0)):tanh() * (a or 1.0) end
  end,
  hardsigmoid = function(a, b)
    return function(x) return (x * (a or 0.2) + (b or 0.5)):clamp(0, 1) end
  end,
  elu = function(a) return function(x) return F.elu(x, a or 1.0) end end,
  softsign = function() return F.softsign end,
  softplus = function() return F.softplus end,
  clip = function(low, high) return function(x) return x:clamp(low, high) end end,
}

--- The activation of this name as a function of a tensor; alpha and beta are its optional parameters.
local function activation(name, alpha, beta)
  local make = activations[name:lower()]
  if not make then raise("the activation '%s' is not supported", name) end
  return make(alpha, beta)
end

return activation
