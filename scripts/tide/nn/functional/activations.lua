-- tide.nn.functional: activations composed of ops.
local checked = require "tide.internal.declare.checked"
local reader = require "tide.internal.declare.reader"
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local tide = require "tide"

local function check_floating(name, x)
  if not x:is_floating_point() then raise("%s: expected a floating type, got %s", name, x.dtype) end
end

--- One half of x, gated by the sigmoid of the other.
---@use nn: x
---@param dim number = -1  dimension to split in half, from 1
---@formula a sigmoid(b), where a and b are the halves of x
---@example
--- F.glu(tide.tensor{3.0, 0}) --> {1.5}
F.glu = checked("nn.functional.glu", function(x, dim)
  check_floating("glu", x)
  local size = x:size(dim)
  if size % 2 ~= 0 then
    raise("glu: dimension %d must have an even size, got %d", dim, size)
  end
  local half = size // 2
  return x:narrow(dim, 1, half) * x:narrow(dim, half + 1, half):sigmoid()
end)

--- x for x > 0, else weight * x.
---@use nn: x
---@param weight tensor  slopes below 0: one for all channels, or one for each
---@formula x if x > 0, else weight x
---@see nn.PReLU nn.LeakyReLU
---@example
--- F.prelu(tide.tensor{-2.0, 3}, tide.tensor{0.5}) --> {-1.0, 3.0}
F.prelu = checked("nn.functional.prelu", function(x, weight)
  check_floating("prelu", x)
  if weight:dim() > 1 then
    raise("prelu: expected a weight of at most 1 dimension, got %d", weight:dim())
  end
  if weight:numel() ~= 1 then
    local channels = x:dim() > 1 and x:size(2) or 1
    if weight:numel() ~= channels then
      raise("prelu: expected 1 weight or one for each channel, got %d for %d channels", weight:numel(), channels)
    end
    local shape = {1, channels}
    for d = 3, x:dim() do shape[d] = 1 end
    weight = weight:reshape(shape)
  elseif weight:dim() == 1 and x:dim() == 0 then
    weight = weight:reshape({})
  end
  return tide.where(x:gt(0), x, weight * x)
end)

--- Writes y into x if `inplace`; returns the result.
local function store(x, y, inplace)
  return inplace and x:copy_(y) or y
end

--- x where |x| is above lambd, else 0.
---@use nn: x, lambd = 0.5
---@formula x if |x| > lambd, else 0
---@see nn.Softshrink
---@example
--- F.hardshrink(tide.tensor{0.4, 2}) --> {0.0, 2.0}
F.hardshrink = checked("nn.functional.hardshrink", function(x, lambd)
  check_floating("hardshrink", x)
  return tide.where(x:abs():le(lambd), 0.0, x)
end)

--- Shrinks x towards 0 by lambd; 0 where |x| is at most lambd.
---@like nn.functional.hardshrink
---@formula sign(x) max(|x| - lambd, 0)
---@see nn.Softshrink nn.Hardshrink
---@example
--- F.softshrink(tide.tensor{0.4, 2}) --> {0.0, 1.5}
F.softshrink = checked("nn.functional.softshrink", function(x, lambd)
  if lambd < 0 then raise("softshrink: lambd must be non-negative, got %g", lambd) end
  check_floating("softshrink", x)
  return x - x:clamp(-lambd, lambd)
end)

--- x - tanh(x).
---@use nn: x
---@example
--- F.tanhshrink(tide.tensor{0.0, 1}) --> {0.0, 0.2384}
local read_tanhshrink = reader "nn.functional.tanhshrink"

function F.tanhshrink(...)
  local x = read_tanhshrink(...).x
  return x - x:tanh()
end

--- x where it exceeds a threshold, else a fixed value.
---@use nn: x, threshold
---@param value number  result where x does not exceed threshold
---@use nn: inplace = false
---@formula x if x > threshold, else value
---@see nn.Threshold nn.ReLU
---@example
--- F.threshold(tide.tensor{0.0, 2}, 1, 7) --> {7.0, 2.0}
F.threshold = checked("nn.functional.threshold", function(x, threshold, value, inplace)
  -- A nan stays.
  local y = x:masked_fill(x:le(threshold), value)
  return store(x, y, inplace)
end)

--- x for x > 0, else x times a slope: random in training, otherwise the mean slope.
---@use nn: x, lower = 1 / 8, upper = 1 / 3
---@param training boolean = false  random slopes; otherwise their mean
---@use nn: inplace = false
---@formula x if x > 0, else a x, with a uniform in lower..upper
---@see nn.LeakyReLU
---@example
--- F.rrelu(tide.tensor{-24.0, 3}) --> {-5.5, 3.0}
F.rrelu = checked("nn.functional.rrelu", function(x, lower, upper, training, inplace)
  -- In training, each element has its own slope.
  if lower > upper then raise("rrelu: lower is larger than upper: %g and %g", lower, upper) end
  local slope = (lower + upper) / 2
  if training then slope = tide.rand_like(x) * (upper - lower) + lower end
  return store(x, tide.where(x:gt(0), x, x * slope), inplace)
end)

--- Differentiable random sample of a class from logits.
---@param logits tensor  unnormalized log-probabilities
---@param tau number = 1  temperature; a smaller one is closer to one-hot
---@param hard boolean = false  one-hot results, with the gradient of the soft ones
---@param dim number = -1  dimension of the classes, from 1
---@formula softmax((logits + g) / tau), g = -log(-log(uniform))
---@see F.softmax
---@example
--- F.gumbel_softmax(tide.zeros(5, 3), {hard = true}):sum(2) --> {1.0, 1.0, 1.0, 1.0, 1.0}
F.gumbel_softmax = checked("nn.functional.gumbel_softmax", function(logits, tau, hard, dim)
  local noise = -tide.empty_like(logits):exponential_():log()
  local soft = F.softmax((logits + noise) / tau, dim)
  if not hard then return soft end
  local best = soft:argmax(dim, true)
  local one_hot = tide.zeros_like(soft):scatter(dim, best, 1.0)
  return one_hot - soft:detach() + soft
end)

return F
