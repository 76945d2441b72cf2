-- Activations as modules: each calls a function of tide.nn.functional with the module's options.
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"
local options_by_defaults = require "tide.nn.internal.options_by_defaults"
local raise = require "tide.internal.raise"

local activations = {}

--- Makes the class `name` of F[fn](x, options...): `parameters` as tide.arguments has them, in the
--- order in which the function takes them.
local function activation(name, fn, parameters)
  local Activation = class(name, Module)
  local names, read = options_by_defaults(name, parameters)
  Activation:optional(table.unpack(names))

  function Activation:init(...)
    for key, value in pairs(read(...)) do self[key] = value end
  end

  if #names == 0 then
    function Activation:forward(x) return F[fn](x) end
  elseif #names == 1 then
    local only = names[1]
    function Activation:forward(x) return F[fn](x, self[only]) end
  else
    function Activation:forward(x)
      local values = {}
      for i, key in ipairs(names) do values[i] = self[key] end
      return F[fn](x, table.unpack(values, 1, #names))
    end
  end

  function Activation:describe()
    local words = {}
    for _, key in ipairs(names) do
      local value = self[key]
      if value ~= nil and value ~= false then
        words[#words + 1] = ("%s = %s"):format(key, tostring(value))
      end
    end
    return table.concat(words, ", ")
  end

  activations[name] = Activation
end

local inplace = {"inplace", false}

activation("CELU", "celu", {{"alpha", 1.0}, inplace})
activation("ELU", "elu", {{"alpha", 1.0}, inplace})
activation("GELU", "gelu", {{"approximate", "none"}})
activation("GLU", "glu", {{"dim", -1}})
activation("Hardshrink", "hardshrink", {{"lambd", 0.5}})
activation("Hardsigmoid", "hardsigmoid", {inplace})
activation("Hardswish", "hardswish", {inplace})
activation("Hardtanh", "hardtanh", {{"min_val", -1.0}, {"max_val", 1.0}, inplace})
activation("LeakyReLU", "leaky_relu", {{"negative_slope", 0.01}, inplace})
activation("LogSigmoid", "logsigmoid", {})
activation("LogSoftmax", "log_softmax", {{"dim", -1}})
activation("Mish", "mish", {inplace})
activation("RReLU", "rrelu", {{"lower", 1 / 8}, {"upper", 1 / 3}, inplace})
activation("ReLU", "relu", {inplace})
activation("ReLU6", "relu6", {inplace})
activation("SELU", "selu", {inplace})
activation("SiLU", "silu", {inplace})
activation("Sigmoid", "sigmoid", {})
activation("Softmax", "softmax", {{"dim", -1}})
activation("Softmin", "softmin", {{"dim", -1}})
activation("Softplus", "softplus", {{"beta", 1.0}, {"threshold", 20.0}})
activation("Softshrink", "softshrink", {{"lambd", 0.5}})
activation("Softsign", "softsign", {})
activation("Squareplus", "squareplus", {})
activation("Tanh", "tanh", {})
activation("Tanhshrink", "tanhshrink", {})
activation("Threshold", "threshold", {{"threshold"}, {"value"}, inplace})

--- In training slopes are drawn.
function activations.RReLU:forward(x)
  return F.rrelu(x, self.lower, self.upper, self.training, self.inplace)
end

--- Softmax over the channels of each pixel.
local Softmax2d = class("Softmax2d", Module)

function Softmax2d:forward(x)
  if x:dim() ~= 3 and x:dim() ~= 4 then
    raise("Softmax2d: expected an input of 3 or 4 dimensions, got %d", x:dim())
  end
  return F.softmax(x, -3)
end

activations.Softmax2d = Softmax2d

return activations
