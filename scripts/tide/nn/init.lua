-- tide.nn.init: fills tensors in place with starting values; each function returns its tensor.
local arguments = require "tide.internal.arguments"
local checked = require "tide.internal.declare.checked"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"

local init = {}

--- Inputs and outputs of one unit: (fan_in, fan_out) of a weight (outputs, inputs, ...).
local function fans(name, tensor)
  local shape = tensor.shape
  if #shape < 2 then
    raise("%s: expected a weight of at least 2 dimensions, got %s", name, tostring(tensor:dim()))
  end
  local field = 1
  for i = 3, #shape do field = field * shape[i] end
  return shape[2] * field, shape[1] * field
end

--- Runs `fill` where writes into tensors that require gradients are allowed.
local function fill_in_place(tensor, fill)
  tide.no_grad(function() fill(tensor) end)
  return tensor
end

--- Numbers spread evenly over a..b (0..1).
init.uniform_ = checked("nn.init.uniform_", {"tensor", {"a", 0}, {"b", 1}},
  {tensor = "tensor", a = "number", b = "number"}, function(tensor, a, b)
    return fill_in_place(tensor, function(t) t:uniform_(a, b) end)
  end)

--- Numbers from the normal distribution (0, 1).
init.normal_ = checked("nn.init.normal_", {"tensor", {"mean", 0}, {"std", 1}},
  {tensor = "tensor", mean = "number", std = "number"}, function(tensor, mean, std)
    return fill_in_place(tensor, function(t) t:normal_(mean, std) end)
  end)

--- The same number everywhere.
init.constant_ = checked("nn.init.constant_", {"tensor", "value"}, {tensor = "tensor"}, function(tensor, value)
  return fill_in_place(tensor, function(t) t:fill_(value) end)
end)

init.zeros_ = checked("nn.init.zeros_", {"tensor"}, {tensor = "tensor"}, function(tensor)
  return init.constant_(tensor, 0)
end)

init.ones_ = checked("nn.init.ones_", {"tensor"}, {tensor = "tensor"}, function(tensor)
  return init.constant_(tensor, 1)
end)

--- A matrix with ones on its diagonal.
init.eye_ = checked("nn.init.eye_", {"tensor"}, {tensor = "tensor"}, function(tensor)
  if tensor:dim() ~= 2 then raise("eye_: expected a matrix, got %d dimensions", tensor:dim()) end
  return fill_in_place(tensor, function(t)
    t:copy_(tide.eye(t:size(1), t:size(2), {dtype = t.dtype, device = t.device}))
  end)
end)

--- A convolution's weight that passes on as many channels as it can, in each of `groups` groups.
init.dirac_ = checked("nn.init.dirac_", {"tensor", {"groups", 1}}, {tensor = "tensor", groups = "count"}, function(tensor, groups)
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

local trunc_normal = arguments("trunc_normal_", {
  "tensor", {"mean", 0.0}, {"std", 1.0}, {"a", -2.0}, {"b", 2.0},
}, {tensor = "tensor", mean = "number", std = "number", a = "number", b = "number"})

--- Normal numbers between a and b, by the inverse of the distribution's integral.
function init.trunc_normal_(...)
  local given = trunc_normal(...)
  local mean, std = given.mean, given.std
  local function share(x)
    local z = tide.tensor((x - mean) / (std * math.sqrt(2)), {dtype = "float64"})
    return (1 + z:erf():item()) / 2
  end
  local low, high = share(given.a), share(given.b)
  return fill_in_place(given.tensor, function(t)
    local drawn = tide.rand(t.shape, {dtype = "float64", device = t.device})
    local x = (drawn * (2 * (high - low)) + (2 * low - 1)):clamp(-1 + 1e-16, 1 - 1e-16):erfinv()
    t:copy_((x * (std * math.sqrt(2)) + mean):clamp(given.a, given.b):to(t.dtype))
  end)
end

--- A matrix with orthogonal rows or columns, times a gain (Saxe et al., 2013).
init.orthogonal_ = checked("nn.init.orthogonal_", {"tensor", {"gain", 1}}, {tensor = "tensor", gain = "number"}, function(tensor, gain)
  if tensor:dim() < 2 then
    raise("orthogonal_: expected a weight of at least 2 dimensions, got %d", tensor:dim())
  end
  return fill_in_place(tensor, function(t)
    local rows = t:size(1)
    local columns = t:numel() // rows
    local wide = rows < columns
    local shape = wide and {columns, rows} or {rows, columns}
    local q, r = tide.linalg.qr(tide.randn(shape, {dtype = "float64", device = t.device}))
    q = q * r:diag():sign() -- so that every rotation is equally likely
    if wide then q = q:t() end
    t:copy_((q * gain):reshape(t.shape):to(t.dtype))
  end)
end)

--- Normal numbers, and a share `sparsity` of each column zero.
init.sparse_ = checked("nn.init.sparse_", {"tensor", "sparsity", {"std", 0.01}},
  {tensor = "tensor", sparsity = "number", std = "number"}, function(tensor, sparsity, std)
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

--- How much a nonlinearity shrinks the spread of what flows through it.
init.calculate_gain = checked("nn.init.calculate_gain", {"nonlinearity", {"param", 0.01}},
  {nonlinearity = "string", param = "number"}, function(nonlinearity, param)
    if nonlinearity == "leaky_relu" then return math.sqrt(2 / (1 + param * param)) end
    return gains[nonlinearity] or raise("calculate_gain: unknown nonlinearity: %s", nonlinearity)
  end)

local xavier, xavier_kinds = {"tensor", {"gain", 1}}, {tensor = "tensor", gain = "number"}
local xavier_uniform = arguments("xavier_uniform_", xavier, xavier_kinds)
local xavier_normal = arguments("xavier_normal_", xavier, xavier_kinds)

--- Uniform, keeping the spread equal forwards and backwards (Glorot).
function init.xavier_uniform_(...)
  local given = xavier_uniform(...)
  local fan_in, fan_out = fans("xavier_uniform_", given.tensor)
  local bound = given.gain * math.sqrt(6 / (fan_in + fan_out))
  return init.uniform_(given.tensor, -bound, bound)
end

--- Normal, keeping the spread equal forwards and backwards (Glorot).
function init.xavier_normal_(...)
  local given = xavier_normal(...)
  local fan_in, fan_out = fans("xavier_normal_", given.tensor)
  return init.normal_(given.tensor, 0, given.gain * math.sqrt(2 / (fan_in + fan_out)))
end

local kaiming = {"tensor", {"a", 0}, {"mode", "fan_in"}, {"nonlinearity", "leaky_relu"}}
local kaiming_kinds = {tensor = "tensor", a = "number", mode = "string", nonlinearity = "string"}
local kaiming_uniform = arguments("kaiming_uniform_", kaiming, kaiming_kinds)
local kaiming_normal = arguments("kaiming_normal_", kaiming, kaiming_kinds)

local function kaiming_std(name, given)
  local fan_in, fan_out = fans(name, given.tensor)
  if given.mode ~= "fan_in" and given.mode ~= "fan_out" then
    raise("%s: mode must be fan_in or fan_out, got %s", name, tostring(given.mode))
  end
  local fan = given.mode == "fan_in" and fan_in or fan_out
  return init.calculate_gain(given.nonlinearity, given.a) / math.sqrt(fan)
end

--- Uniform, keeping the spread through layers of rectifiers (He).
function init.kaiming_uniform_(...)
  local given = kaiming_uniform(...)
  local bound = math.sqrt(3) * kaiming_std("kaiming_uniform_", given)
  return init.uniform_(given.tensor, -bound, bound)
end

--- Normal, keeping the spread through layers of rectifiers (He).
function init.kaiming_normal_(...)
  local given = kaiming_normal(...)
  return init.normal_(given.tensor, 0, kaiming_std("kaiming_normal_", given))
end

--- An initialiser for layers with `inputs` inputs a unit: uniform over +-1 / sqrt(inputs), as
--- PyTorch starts the weights and biases of its linear and convolution layers.
init.fan_in_uniform = checked("nn.init.fan_in_uniform", {"inputs"}, {inputs = "number"}, function(inputs)
  local bound = inputs > 0 and 1 / math.sqrt(inputs) or 0
  return function(tensor) return init.uniform_(tensor, -bound, bound) end
end)

return strict_table("tide.nn.init", init)
