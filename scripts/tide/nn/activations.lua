-- Activations as modules: each calls a function of tide.nn.functional with the module's options.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"

local activations = {}

--- Makes the class declared as `name`, which calls F[fn](x, options...) with the options in declaration order.
local function activation(name, fn)
  local Activation, read, _, option_names = define(name, Module)

  function Activation:init(...)
    local given, names = read(...)
    for _, key in ipairs(names) do self[key] = given[key] end
  end

  function Activation:forward(x)
    local names, values = option_names(), {}
    for i, key in ipairs(names) do values[i] = self[key] end
    return F[fn](x, table.unpack(values, 1, #names))
  end

  function Activation:describe()
    local words = {}
    for _, key in ipairs(option_names()) do
      local value = self[key]
      if value ~= nil and value ~= false then
        words[#words + 1] = ("%s = %s"):format(key, tostring(value))
      end
    end
    return table.concat(words, ", ")
  end

  activations[Activation.name] = Activation
end

--- x for x > 0, else alpha * (exp(x / alpha) - 1).
---@param alpha number = 1.0  scale of the curve below 0
---@use nn: inplace = false
---@formula max(0, x) + min(0, alpha (exp(x / alpha) - 1))
---@see nn.ELU F.celu
---@example
--- nn.CELU()(tide.tensor{-1.0, 2}) --> {-0.6321, 2.0}
activation("nn.CELU", "celu")

--- x for x > 0, else alpha * (exp(x) - 1).
---@like nn.CELU
---@formula x if x > 0, else alpha (exp(x) - 1)
---@see nn.SELU F.elu
---@example
--- nn.ELU()(tide.tensor{-1.0, 2}) --> {-0.6321, 2.0}
activation("nn.ELU", "elu")

--- x * (1 + erf(x / sqrt(2))) / 2.
---@param approximate "none" | "tanh" = "none"  "tanh" is faster and less accurate
---@formula x P(x), P the normal distribution function; with tanh 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
---@see nn.SiLU F.gelu
---@example
--- nn.GELU()(tide.tensor{-1.0, 2}) --> {-0.1587, 1.954}
activation("nn.GELU", "gelu")

--- One half of x, gated by the sigmoid of the other.
---@param dim number = -1  dimension to split in half, from 1
---@formula a sigmoid(b), where a and b are the halves of x
---@example
--- nn.GLU()(tide.tensor{3.0, 0}) --> {1.5}
activation("nn.GLU", "glu")

--- x where |x| is above lambd, else 0.
---@use nn: lambd = 0.5
---@formula x if |x| > lambd, else 0
---@see nn.Softshrink
---@example
--- nn.Hardshrink()(tide.tensor{0.4, 2}) --> {0.0, 2.0}
activation("nn.Hardshrink", "hardshrink")

--- x / 6 + 1 / 2 limited to [0, 1].
---@use nn: inplace = false
---@formula clamp(x / 6 + 1 / 2, 0, 1)
---@see nn.Sigmoid
---@example
--- nn.Hardsigmoid()(tide.tensor{0.0, 9}) --> {0.5, 1.0}
activation("nn.Hardsigmoid", "hardsigmoid")

--- x * hardsigmoid(x).
---@use nn: inplace = false
---@formula x clamp(x / 6 + 1 / 2, 0, 1)
---@see nn.SiLU
---@example
--- nn.Hardswish()(tide.tensor{-1.0, 9}) --> {-0.3333, 9.0}
activation("nn.Hardswish", "hardswish")

--- Clamps x between two values.
---@param min_val number = -1.0  smallest result
---@param max_val number = 1.0  largest result
---@use nn: inplace = false
---@formula clamp(x, min_val, max_val)
---@see nn.ReLU6 nn.Tanh
---@example
--- nn.Hardtanh()(tide.tensor{-9.0, 0.5}) --> {-1.0, 0.5}
activation("nn.Hardtanh", "hardtanh")

--- x for x > 0, else x times a slope.
---@param negative_slope number = 0.01  slope below 0
---@use nn: inplace = false
---@formula x if x > 0, else negative_slope x
---@see nn.PReLU F.leaky_relu
---@example
--- nn.LeakyReLU({negative_slope = 0.5})(tide.tensor{-2.0, 3}) --> {-1.0, 3.0}
activation("nn.LeakyReLU", "leaky_relu")

--- log(sigmoid(x)).
---@formula -log(1 + exp(-x))
---@see nn.Sigmoid
---@example
--- nn.LogSigmoid()(tide.tensor{0.0, 2}) --> {-0.6931, -0.1269}
activation("nn.LogSigmoid", "logsigmoid")

--- log(softmax(x)).
---@use nn: dim = -1
---@formula x_i - log(sum over j of exp(x_j))
---@see nn.NLLLoss F.log_softmax
---@example
--- nn.LogSoftmax({dim = 1})(tide.tensor{0.0, 0}) --> {-0.6931, -0.6931}
activation("nn.LogSoftmax", "log_softmax")

--- x * tanh(softplus(x)).
---@use nn: inplace = false
---@formula x tanh(softplus(x))
---@see nn.SiLU
---@example
--- nn.Mish()(tide.tensor{-1.0, 1}) --> {-0.3034, 0.8651}
activation("nn.Mish", "mish")

--- x for x > 0, else x times a slope: random in training, otherwise the mean slope.
---@use nn: lower = 1 / 8, upper = 1 / 3, inplace = false
---@formula x if x > 0, else a x, with a uniform in lower..upper
---@see nn.LeakyReLU
---@example
--- nn.RReLU():eval()(tide.tensor{-24.0, 3}) --> {-5.5, 3.0}
activation("nn.RReLU", "rrelu")

--- max(x, 0).
---@use nn: inplace = false
---@formula max(0, x)
---@see nn.LeakyReLU nn.GELU F.relu
---@example
--- nn.ReLU()(tide.tensor{-1.5, 2}) --> {0.0, 2.0}
activation("nn.ReLU", "relu")

--- Clamps x between 0 and 6.
---@use nn: inplace = false
---@formula min(max(0, x), 6)
---@see nn.ReLU
---@example
--- nn.ReLU6()(tide.tensor{-1.5, 9}) --> {0.0, 6.0}
activation("nn.ReLU6", "relu6")

--- A scaled ELU that preserves mean and variance.
---@use nn: inplace = false
---@formula 1.0507 (x if x > 0, else 1.67326 (exp(x) - 1))
---@see nn.AlphaDropout
---@example
--- nn.SELU()(tide.tensor{-1.0, 1}) --> {-1.111, 1.051}
activation("nn.SELU", "selu")

--- x * sigmoid(x).
---@use nn: inplace = false
---@formula x sigmoid(x)
---@see nn.GELU
---@example
--- nn.SiLU()(tide.tensor{-1.0, 1}) --> {-0.2689, 0.7311}
activation("nn.SiLU", "silu")

--- The logistic function.
---@formula 1 / (1 + exp(-x))
---@see nn.Tanh nn.BCEWithLogitsLoss
---@example
--- nn.Sigmoid()(tide.tensor{0.0, 2}) --> {0.5, 0.8808}
activation("nn.Sigmoid", "sigmoid")

--- exp(x) / sum(exp(x)) along a dimension.
---@use nn: dim = -1
---@formula exp(x_i) / sum over j of exp(x_j)
---@see nn.LogSoftmax nn.CrossEntropyLoss
---@example
--- nn.Softmax({dim = 1})(tide.tensor{0.0, 0}) --> {0.5, 0.5}
activation("nn.Softmax", "softmax")

--- softmax of -x.
---@use nn: dim = -1
---@formula softmax(-x)
---@see nn.Softmax
---@example
--- nn.Softmin({dim = 1})(tide.tensor{0.0, 0}) --> {0.5, 0.5}
activation("nn.Softmin", "softmin")

--- log(1 + exp(beta * x)) / beta.
---@param beta number = 1.0  sharpness; a larger beta is closer to relu
---@param threshold number = 20.0  where beta * x exceeds it, the result is x
---@formula log(1 + exp(beta x)) / beta
---@see nn.ReLU
---@example
--- nn.Softplus()(tide.tensor{0.0, 30}) --> {0.6931, 30.0}
activation("nn.Softplus", "softplus")

--- Shrinks x towards 0 by lambd.
---@use nn: lambd = 0.5
---@formula sign(x) max(|x| - lambd, 0)
---@see nn.Hardshrink
---@example
--- nn.Softshrink()(tide.tensor{0.4, 2}) --> {0.0, 1.5}
activation("nn.Softshrink", "softshrink")

--- x / (1 + |x|), similar to tanh but without exp.
---@formula x / (1 + |x|)
---@see nn.Tanh
---@example
--- nn.Softsign()(tide.tensor{-1.0, 3}) --> {-0.5, 0.75}
activation("nn.Softsign", "softsign")

--- A smooth relu, without exp.
---@formula (x + sqrt(x^2 + 4)) / 2
---@see nn.Softplus nn.ReLU
---@example
--- nn.Squareplus()(tide.tensor{-1.5, 0, 1.5}) --> {0.5, 1.0, 2.0}
activation("nn.Squareplus", "squareplus")

--- The hyperbolic tangent.
---@formula (exp(x) - exp(-x)) / (exp(x) + exp(-x))
---@see nn.Sigmoid
---@example
--- nn.Tanh()(tide.tensor{0.0, 1}) --> {0.0, 0.7616}
activation("nn.Tanh", "tanh")

--- x - tanh(x).
---@formula x - tanh(x)
---@example
--- nn.Tanhshrink()(tide.tensor{0.0, 1}) --> {0.0, 0.2384}
activation("nn.Tanhshrink", "tanhshrink")

--- x where it exceeds a threshold, else a fixed value.
---@use nn: threshold = nil
---@param value number = nil  result where x does not exceed threshold
---@use nn: inplace = false
---@formula x if x > threshold, else value
---@see nn.ReLU
---@example
--- nn.Threshold(1, 7)(tide.tensor{0.0, 2}) --> {7.0, 2.0}
activation("nn.Threshold", "threshold")

--- The slopes are random in training only.
function activations.RReLU:forward(x)
  return F.rrelu(x, self.lower, self.upper, self.training, self.inplace)
end

--- Softmax over the channels of each pixel.
---@formula softmax over the channels at each position
---@see nn.Softmax
---@example
--- nn.Softmax2d()(tide.ones(2, 1, 1)) --> {{{0.5}}, {{0.5}}}
local Softmax2d = define("nn.Softmax2d", Module)

function Softmax2d:forward(x)
  if x:dim() ~= 3 and x:dim() ~= 4 then
    raise("Softmax2d: expected an input of 3 or 4 dimensions, got %d", x:dim())
  end
  return F.softmax(x, -3)
end

activations.Softmax2d = Softmax2d

return activations
