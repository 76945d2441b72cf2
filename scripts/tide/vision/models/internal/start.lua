-- Initialization of the layers of a network.
local class = require "tide.internal.class"
local init = require "tide.nn.init"
local nn = require "tide.nn"

local start = {}

--- Calls by_class[NAME](layer) for each layer of class nn.NAME.
function start.layers(net, by_class)
  for _, module in ipairs(net:modules()) do
    for name, fill in pairs(by_class) do
      if class.is_a(module, nn[name]) then fill(module) end
    end
  end
end

--- Returns a function(layer) that initializes the weight with `fill(weight, options)`, and the bias with zeros.
function start.with(fill, options)
  return function(layer)
    fill(layer.weight, options)
    if layer.bias then init.zeros_(layer.bias) end
  end
end

--- Kaiming normal initialization with fan_out, for layers followed by ReLU.
start.fan_out = start.with(init.kaiming_normal_, {mode = "fan_out", nonlinearity = "relu"})

--- Normal initialization with this standard deviation.
function start.normal(std)
  return start.with(function(weight) init.normal_(weight, 0, std) end)
end

return start
