-- Rules for elementwise ops.
local tensors = require "tide.onnx.tensors"
local tide = require "tide"

local rules = {}

--- The dtype of a tensor argument; nil for others.
local function dtype_of(value) return tide.is_tensor(value) and value.dtype or nil end

for op, name in pairs {
  abs = "Abs", acos = "Acos", acosh = "Acosh", asin = "Asin", asinh = "Asinh", atan = "Atan",
  atanh = "Atanh", ceil = "Ceil", cos = "Cos", cosh = "Cosh", erf = "Erf", exp = "Exp",
  floor = "Floor", isnan = "IsNaN", isinf = "IsInf", log = "Log", neg = "Neg",
  logical_not = "Not", reciprocal = "Reciprocal", relu = "Relu", round = "Round",
  sigmoid = "Sigmoid", sign = "Sign", sin = "Sin", sinh = "Sinh", sqrt = "Sqrt", tan = "Tan",
  tanh = "Tanh", softsign = "Softsign", selu = "Selu", hardswish = "HardSwish", det = "Det",
} do
  rules[op] = {arguments = {"x"}, write = function(g, a)
    return g:node(name, {g:name(a.x)})
  end}
end

--- Activations with `inplace` after x.
for _, op in ipairs {"relu", "selu", "hardswish"} do rules[op].in_place_argument = 2 end

--- Both operands cast to their common dtype.
local function meet(g, a, result_type)
  local x, y = a.x, a.y
  local common = result_type
  if not common then
    common = dtype_of(x) and dtype_of(y) and tide.promote_types(x.dtype, y.dtype)
      or dtype_of(x) or dtype_of(y)
  end
  return g:cast(x, common), g:cast(y, common)
end

for op, name in pairs {
  add = "Add", sub = "Sub", mul = "Mul", maximum = "Max", minimum = "Min",
} do
  rules[op] = {arguments = {"x", "y"}, write = function(g, a, results)
    local x, y = meet(g, a, results[1].dtype)
    if a.alpha and a.alpha ~= 1 then y = g:node("Mul", {y, g:number(a.alpha, results[1].dtype)}) end
    return g:node(name, {x, y})
  end}
end

--- Rounded quotients are computed as floats, because ONNX's integer division truncates.
rules.div = {arguments = {"x", "y"}, write = function(g, a, results)
  local dtype, rounding = results[1].dtype, a.rounding_mode
  local floating = results[1]:is_floating_point() and dtype or "float64"
  local quotient = g:node("Div", {meet(g, a, floating)})
  if not rounding then return quotient end
  if rounding == "floor" then
    quotient = g:node("Floor", {quotient})
  else
    local magnitude = g:node("Floor", {(g:node("Abs", {quotient}))})
    quotient = g:node("Mul", {(g:node("Sign", {quotient})), magnitude})
  end
  if floating == dtype then return quotient end
  return g:node("Cast", {quotient}, {to = tensors.number_of(dtype)})
end}

rules.rsub = {arguments = {"x", "y"}, write = function(g, a, results)
  local x, y = meet(g, a, results[1].dtype)
  return g:node("Sub", {y, x})
end}

for op, name in pairs {
  eq = "Equal", gt = "Greater", ge = "GreaterOrEqual", lt = "Less", le = "LessOrEqual",
} do
  rules[op] = {arguments = {"x", "y"}, write = function(g, a)
    local x, y = meet(g, a)
    return g:node(name, {x, y})
  end}
end

rules.ne = {arguments = {"x", "y"}, write = function(g, a)
  local x, y = meet(g, a)
  return g:node("Not", {(g:node("Equal", {x, y}))})
end}

for op, name in pairs {logical_and = "And", logical_or = "Or", logical_xor = "Xor"} do
  rules[op] = {arguments = {"x", "y"}, write = function(g, a)
    return g:node(name, {g:cast(a.x, "bool"), g:cast(a.y, "bool")})
  end}
end

rules.pow = {arguments = {"x", "y"}, write = function(g, a, results)
  local dtype = results[1].dtype
  return g:node("Pow", {g:cast(a.x, dtype), g:cast(a.y, dtype)})
end}

rules.square = {arguments = {"x"}, write = function(g, a)
  return g:node("Mul", {g:name(a.x), g:name(a.x)})
end}

rules.rsqrt = {arguments = {"x"}, write = function(g, a)
  return g:node("Reciprocal", {(g:node("Sqrt", {g:name(a.x)}))})
end}

rules.clamp = {arguments = {"x", "min", "max"}, write = function(g, a, results)
  local dtype = results[1].dtype
  return g:node("Clip", {g:cast(a.x, dtype), g:name(a.min, dtype), g:name(a.max, dtype)})
end}

rules.hardtanh = {arguments = {"x", "min_val", "max_val"}, in_place_argument = 4,
  write = function(g, a)
    local dtype = a.x.dtype
    return g:node("Clip", {g:name(a.x), g:number(a.min_val or -1.0, dtype),
      g:number(a.max_val or 1.0, dtype)})
  end}

rules.relu6 = {arguments = {"x"}, in_place_argument = 2, write = function(g, a)
  return g:node("Clip", {g:name(a.x), g:number(0.0, a.x.dtype), g:number(6.0, a.x.dtype)})
end}

rules.where = {arguments = {"condition", "x", "y"}, write = function(g, a, results)
  -- The method is x:where(condition, y).
  local condition, x = a.condition, a.x
  if condition.dtype ~= "bool" then condition, x = x, condition end
  local dtype = results[1].dtype
  return g:node("Where", {g:name(condition), g:cast(x, dtype), g:cast(a.y, dtype)})
end}

rules.masked_fill = {arguments = {"x", "mask", "value"}, write = function(g, a)
  return g:node("Where", {g:name(a.mask), g:cast(a.value, a.x.dtype), g:name(a.x)})
end}

-- Activations -------------------------------------------------------------------------------------

local function with_attribute(op, name, attribute, argument, default, in_place)
  rules[op] = {arguments = {"x", argument}, in_place_argument = in_place, write = function(g, a)
    return g:node(name, {g:name(a.x)}, {[attribute] = (a[argument] or default) + 0.0})
  end}
end

with_attribute("leaky_relu", "LeakyRelu", "alpha", "negative_slope", 0.01, 3)
with_attribute("elu", "Elu", "alpha", "alpha", 1.0, 3)
with_attribute("celu", "Celu", "alpha", "alpha", 1.0, 3)

rules.hardsigmoid = {arguments = {"x"}, in_place_argument = 2, write = function(g, a)
  return g:node("HardSigmoid", {g:name(a.x)}, {alpha = 1 / 6, beta = 0.5})
end}

rules.silu = {arguments = {"x"}, in_place_argument = 2, write = function(g, a)
  local x = g:name(a.x)
  return g:node("Mul", {x, (g:node("Sigmoid", {x}))})
end}

rules.mish = {arguments = {"x"}, in_place_argument = 2, write = function(g, a)
  local x = g:name(a.x)
  return g:node("Mul", {x, (g:node("Tanh", {(g:node("Softplus", {x}))}))})
end}

--- Above the threshold the result is x. Above 20 the two differ only in float64.
rules.softplus = {arguments = {"x", "beta", "threshold"}, write = function(g, a)
  local x, beta, dtype = g:name(a.x), a.beta or 1, a.x.dtype
  local scale = g:number(beta, dtype)
  local scaled = beta == 1 and x or g:node("Mul", {x, scale})
  local soft = g:node("Softplus", {scaled})
  if beta ~= 1 then soft = g:node("Div", {soft, scale}) end
  if (a.threshold or 20) >= 20 and dtype ~= "float64" then return soft end
  return g:node("Where", {(g:node("Greater", {scaled, g:number(a.threshold or 20, dtype)})), x, soft})
end}

rules.logsigmoid = {arguments = {"x"}, write = function(g, a)
  return g:node("Neg", {(g:node("Softplus", {(g:node("Neg", {g:name(a.x)}))}))})
end}

--- x * (1 + erf(x / sqrt 2)) / 2, or the tanh approximation.
rules.gelu = {arguments = {"x", "approximate"}, write = function(g, a)
  local x, dtype = g:name(a.x), a.x.dtype
  local inner
  if a.approximate == "tanh" then
    local cube = g:node("Mul", {x, (g:node("Mul", {x, x}))})
    local sum = g:node("Add", {x, (g:node("Mul", {cube, g:number(0.044715, dtype)}))})
    inner = g:node("Tanh", {(g:node("Mul", {sum, g:number(math.sqrt(2 / math.pi), dtype)}))})
  else
    inner = g:node("Erf", {(g:node("Div", {x, g:number(math.sqrt(2), dtype)}))})
  end
  local half = g:node("Mul", {x, g:number(0.5, dtype)})
  return g:node("Mul", {half, (g:node("Add", {inner, g:number(1.0, dtype)}))})
end}

rules.prelu = {arguments = {"x", "weight"}, write = function(g, a)
  local slope, rank = g:name(a.weight), a.x:dim()
  if a.weight:numel() > 1 and rank > 2 then
    local shape = {-1}
    for d = 2, rank - 1 do shape[d] = 1 end
    slope = g:node("Reshape", {slope, g:integers(shape)})
  end
  return g:node("PRelu", {g:name(a.x), slope})
end}

local function softmax(op, name)
  rules[op] = {arguments = {"x", "dim"}, write = function(g, a)
    local dim = a.dim or -1
    return g:node(name, {g:name(a.x)}, {axis = dim > 0 and dim - 1 or dim})
  end}
end

softmax("softmax", "Softmax")
softmax("log_softmax", "LogSoftmax")

-- Types -------------------------------------------------------------------------------------------

--- A cast to another dtype; files do not store devices.
local function write_cast(g, a, results)
  return g:cast(a.x, results[1].dtype)
end

for _, op in ipairs {
  "to", "type_as", "float", "double", "half", "bfloat16", "int", "long", "short", "byte", "char",
  "bool", "type",
} do
  rules[op] = {arguments = {"x"}, write = write_cast}
end

--- Dropout does nothing in evaluation mode.
for _, op in ipairs {
  "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout",
} do
  rules[op] = {arguments = {"x"}, write = function(g, a) return g:name(a.x) end}
end

for _, op in ipairs {
  "new_zeros", "new_ones", "new_full", "new_empty", "zeros_like", "ones_like", "full_like",
  "empty_like",
} do
  rules[op] = {is_constant = true}
end

return rules
