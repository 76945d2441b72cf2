-- tide.nn.init: fills tensors in place with initial values; each function returns its tensor.
local checked = require "tide.internal.declare.checked"
local reader = require "tide.internal.declare.reader"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"

local init = {}

--- (fan_in, fan_out) of a weight (outputs, inputs, ...).
local function fans(name, tensor)
  local shape = tensor.shape
  if #shape < 2 then
    raise("%s: expected a weight of at least 2 dimensions, got %s", name, tostring(tensor:dim()))
  end
  local receptive_field = 1
  for i = 3, #shape do receptive_field = receptive_field * shape[i] end
  return shape[2] * receptive_field, shape[1] * receptive_field
end

--- Runs `fill` without gradients, so that it may write into tensors that require them.
local function fill_in_place(tensor, fill)
  tide.no_grad(function() fill(tensor) end)
  return tensor
end

--- Fills with uniform random values in a..b (0..1).
---@use nn: tensor, a = 0, b = 1
---@formula uniform in a..b
---@see nn.init.normal_ nn.init.xavier_uniform_
---@example
--- nn.init.uniform_(tide.zeros(100), 2, 3):min():item() >= 2 --> true
init.uniform_ = checked("nn.init.uniform_", function(tensor, a, b)
    return fill_in_place(tensor, function(t) t:uniform_(a, b) end)
  end)

--- Fills with normal random values (mean 0, std 1).
---@use nn: tensor, mean = 0, std = 1
---@example
--- nn.init.normal_(tide.zeros(2), 5, 0) --> {5.0, 5.0}
init.normal_ = checked("nn.init.normal_", function(tensor, mean, std)
    return fill_in_place(tensor, function(t) t:normal_(mean, std) end)
  end)

--- Fills with one value.
---@use nn: tensor
---@param value number | boolean | tensor  value of all elements
---@example
--- nn.init.constant_(tide.zeros(2), 7) --> {7.0, 7.0}
init.constant_ = checked("nn.init.constant_", function(tensor, value)
  return fill_in_place(tensor, function(t) t:fill_(value) end)
end)

--- Fills with zeros.
---@use nn: tensor
---@see tide.zeros tide.ones tide.full tide.empty tide.zeros_like tide.tensor
---@example
--- nn.init.zeros_(tide.ones(2)) --> {0.0, 0.0}
init.zeros_ = checked("nn.init.zeros_", function(tensor)
  return init.constant_(tensor, 0)
end)

--- Fills with ones.
---@use nn: tensor
---@see tide.zeros tide.ones tide.full tide.empty tide.zeros_like tide.tensor
---@example
--- nn.init.ones_(tide.zeros(2)) --> {1.0, 1.0}
init.ones_ = checked("nn.init.ones_", function(tensor)
  return init.constant_(tensor, 1)
end)

--- Fills a matrix with zeros and ones on the diagonal.
---@use nn: tensor
---@example
--- nn.init.eye_(tide.zeros(2, 2)) --> {{1.0, 0.0}, {0.0, 1.0}}
init.eye_ = checked("nn.init.eye_", function(tensor)
  if tensor:dim() ~= 2 then raise("eye_: expected a matrix, got %d dimensions", tensor:dim()) end
  return fill_in_place(tensor, function(t)
    t:copy_(tide.eye(t:size(1), t:size(2), {dtype = t.dtype, device = t.device}))
  end)
end)

--- Fills the weight of a convolution so that it copies its channels.
---@use nn: tensor
---@param groups integer >= 0 = 1  number of channel groups
---@example
--- nn.init.dirac_(tide.zeros(1, 1, 3)) --> {{{0.0, 1.0, 0.0}}}
init.dirac_ = checked("nn.init.dirac_", function(tensor, groups)
  local shape = tensor.shape
  if #shape < 3 or #shape > 5 then
    raise("dirac_: expected a weight of 3 to 5 dimensions, got %d", #shape)
  end
  if groups == 0 or shape[1] % groups ~= 0 then
    raise("dirac_: %d channels do not divide into %d groups", shape[1], groups)
  end
  return fill_in_place(tensor, function(t)
    t:zero_()
    local outputs = shape[1] // groups
    local middle = {}
    for d = 3, #shape do middle[d - 2] = shape[d] // 2 + 1 end
    for group = 0, groups - 1 do
      for i = 1, math.min(outputs, shape[2]) do
        t[{group * outputs + i, i, table.unpack(middle)}] = 1
      end
    end
  end)
end)

--- Fills with normal random values truncated to a..b.
---@use nn: tensor, mean = 0.0, std = 1.0, a = -2.0, b = 2.0
---@formula normal (mean, std), restricted to a..b
---@example
--- nn.init.trunc_normal_(tide.zeros(100), {a = -1, b = 1}):abs():max():item() <= 1 --> true
local trunc_normal = reader "nn.init.trunc_normal_"

--- Inverts the cumulative distribution function between a and b.
function init.trunc_normal_(...)
  local given = trunc_normal(...)
  local mean, std = given.mean, given.std
  local function cdf(x)
    local z = tide.tensor((x - mean) / (std * math.sqrt(2)), {dtype = "float64"})
    return (1 + z:erf():item()) / 2
  end
  local low, high = cdf(given.a), cdf(given.b)
  return fill_in_place(given.tensor, function(t)
    local drawn = tide.rand(t.shape, {dtype = "float64", device = t.device})
    local x = (drawn * (2 * (high - low)) + (2 * low - 1)):clamp(-1 + 1e-16, 1 - 1e-16):erfinv()
    t:copy_((x * (std * math.sqrt(2)) + mean):clamp(given.a, given.b):to(t.dtype))
  end)
end

--- Fills with a random matrix with orthogonal rows or columns.
---@use nn: tensor, gain = 1
---@example
--- local w = nn.init.orthogonal_(tide.zeros(2, 2))
--- w:matmul(w:t()):allclose(tide.eye(2), {atol = 1e-5}) --> true
init.orthogonal_ = checked("nn.init.orthogonal_", function(tensor, gain)
  if tensor:dim() < 2 then
    raise("orthogonal_: expected a weight of at least 2 dimensions, got %d", tensor:dim())
  end
  return fill_in_place(tensor, function(t)
    local rows = t:size(1)
    local columns = t:numel() // rows
    local wide = rows < columns
    local shape = wide and {columns, rows} or {rows, columns}
    local q, r = tide.linalg.qr(tide.randn(shape, {dtype = "float64", device = t.device}))
    q = q * r:diag():sign() -- makes the distribution uniform over all rotations
    if wide then q = q:t() end
    t:copy_((q * gain):reshape(t.shape):to(t.dtype))
  end)
end)

--- Fills with normal random values, and zeros in a fraction of each column.
---@use nn: tensor
---@param sparsity number  fraction of each column that is 0
---@param std number = 0.01  standard deviation of the other elements
---@example
--- nn.init.sparse_(tide.zeros(4, 1), 0.5):count_nonzero() --> 2
init.sparse_ = checked("nn.init.sparse_", function(tensor, sparsity, std)
  if tensor:dim() ~= 2 then
    raise("sparse_: expected a matrix, got %d dimensions", tensor:dim())
  end
  local rows = tensor:size(1)
  local zeros = math.ceil(sparsity * rows)
  return fill_in_place(tensor, function(t)
    t:normal_(0, std)
    local order = tide.rand(t.shape, {device = t.device}):argsort(1)
    t:masked_fill_(order:le(zeros), 0)
  end)
end)

local gains = {
  linear = 1, conv1d = 1, conv2d = 1, conv3d = 1, sigmoid = 1,
  tanh = 5 / 3, relu = math.sqrt(2), selu = 3 / 4,
}

--- The recommended gain for a nonlinearity.
---@use nn: nonlinearity
---@param param number = 0.01  parameter of the nonlinearity: the slope of leaky_relu
---@example
--- nn.init.calculate_gain("relu") --> 1.414
init.calculate_gain = checked("nn.init.calculate_gain", function(nonlinearity, param)
    if nonlinearity == "leaky_relu" then return math.sqrt(2 / (1 + param * param)) end
    return gains[nonlinearity] or raise("calculate_gain: unknown nonlinearity: %s", nonlinearity)
  end)

--- Glorot (Xavier) uniform initialization.
---@like nn.init.orthogonal_
---@formula uniform in -a..a, a = gain sqrt(6 / (fan_in + fan_out))
---@see nn.init.xavier_normal_ nn.init.kaiming_uniform_ nn.init.calculate_gain
---@example
--- nn.init.xavier_uniform_(tide.zeros(3, 3)):abs():max():item() <= 1 --> true
local xavier_uniform = reader "nn.init.xavier_uniform_"
--- Glorot (Xavier) normal initialization.
---@like nn.init.orthogonal_
---@formula normal, std = gain sqrt(2 / (fan_in + fan_out))
---@see nn.init.xavier_uniform_ nn.init.calculate_gain
---@example
--- nn.init.xavier_normal_(tide.zeros(2, 3)).shape --> {2, 3}
local xavier_normal = reader "nn.init.xavier_normal_"

function init.xavier_uniform_(...)
  local given = xavier_uniform(...)
  local fan_in, fan_out = fans("xavier_uniform_", given.tensor)
  local bound = given.gain * math.sqrt(6 / (fan_in + fan_out))
  return init.uniform_(given.tensor, -bound, bound)
end

function init.xavier_normal_(...)
  local given = xavier_normal(...)
  local fan_in, fan_out = fans("xavier_normal_", given.tensor)
  return init.normal_(given.tensor, 0, given.gain * math.sqrt(2 / (fan_in + fan_out)))
end

--- He (Kaiming) uniform initialization.
---@use nn: tensor
---@param a number = 0  slope of the leaky_relu that follows
---@param mode "fan_in" | "fan_out" = "fan_in"  preserve the variance in the forward or the backward pass
---@use nn: nonlinearity = "leaky_relu"
---@formula uniform in -b..b, b = gain sqrt(3 / fan)
---@see nn.init.kaiming_normal_ nn.init.calculate_gain
---@example
--- nn.init.kaiming_uniform_(tide.zeros(2, 6)):abs():max():item() <= 1 --> true
local kaiming_uniform = reader "nn.init.kaiming_uniform_"
--- He (Kaiming) normal initialization.
---@like nn.init.kaiming_uniform_
---@formula normal, std = gain / sqrt(fan)
---@see nn.init.kaiming_uniform_ nn.init.calculate_gain
---@example
--- nn.init.kaiming_normal_(tide.zeros(2, 3)).shape --> {2, 3}
local kaiming_normal = reader "nn.init.kaiming_normal_"

local function kaiming_std(name, given)
  local fan_in, fan_out = fans(name, given.tensor)
  if given.mode ~= "fan_in" and given.mode ~= "fan_out" then
    raise("%s: mode must be fan_in or fan_out, got %s", name, tostring(given.mode))
  end
  local fan = given.mode == "fan_in" and fan_in or fan_out
  return init.calculate_gain(given.nonlinearity, given.a) / math.sqrt(fan)
end

function init.kaiming_uniform_(...)
  local given = kaiming_uniform(...)
  local bound = math.sqrt(3) * kaiming_std("kaiming_uniform_", given)
  return init.uniform_(given.tensor, -bound, bound)
end

function init.kaiming_normal_(...)
  local given = kaiming_normal(...)
  return init.normal_(given.tensor, 0, kaiming_std("kaiming_normal_", given))
end

--- Returns a function that fills uniformly within +-1 / sqrt(inputs).
---@param inputs number  number of inputs of each output (fan_in)
---@example
--- nn.init.fan_in_uniform(4)(tide.zeros(100)):abs():max():item() <= 0.5 --> true
init.fan_in_uniform = checked("nn.init.fan_in_uniform", function(inputs)
  local bound = inputs > 0 and 1 / math.sqrt(inputs) or 0
  return function(tensor) return init.uniform_(tensor, -bound, bound) end
end)

--- Initial values: see tide.nn.init.NAME.
---@type table
---@example
--- tide.nn.init.ones_(tide.zeros(2)) --> {1.0, 1.0}
return strict_table("tide.nn.init", init)
