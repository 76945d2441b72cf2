-- Elementwise ops: arithmetic, comparisons, logic.
local raise = require "tide.internal.raise"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {host = {Clip = {2, 3}}}

ops.attributes = {
  BitShift = "direction",
  Clip = "max min",
  IsInf = "detect_negative detect_positive",
  Mod = "fmod",
}

for name, op in pairs {
  Abs = "abs", BitwiseNot = "bitwise_not",
  Acos = "acos", Acosh = "acosh", Asin = "asin", Asinh = "asinh", Atan = "atan",
  Atanh = "atanh", Ceil = "ceil", Cos = "cos", Cosh = "cosh", Erf = "erf", Exp = "exp",
  Floor = "floor", IsNaN = "isnan", Log = "log", Neg = "neg", Not = "logical_not",
  Reciprocal = "reciprocal", Round = "round", Sigmoid = "sigmoid", Sin = "sin",
  Sinh = "sinh", Sqrt = "sqrt", Tan = "tan", Tanh = "tanh",
} do
  local call = tide[op]
  ops[name] = function(_, x) return call(x) end
end

for name, op in pairs {
  Add = "add", Sub = "sub", Mul = "mul", And = "logical_and", Or = "logical_or",
  Xor = "logical_xor", Equal = "eq", Greater = "gt", GreaterOrEqual = "ge", Less = "lt",
  LessOrEqual = "le", BitwiseAnd = "bitwise_and", BitwiseOr = "bitwise_or", BitwiseXor = "bitwise_xor",
} do
  local call = tide[op]
  ops[name] = function(_, a, b) return call(a, b) end
end

--- The sign of nan is nan, as in NumPy.
function ops.Sign(_, x)
  if not x:is_floating_point() then return x:sign() end
  return tide.where(x:isnan(), x, x:sign())
end

function ops.Div(_, a, b)
  if a:is_floating_point() then return a / b end
  return a:div(b, {rounding_mode = "trunc"})
end

--- The result has the dtype of the base.
function ops.Pow(_, base, exponent)
  if base:is_floating_point() or not exponent:is_floating_point() then
    return base:pow(exponent):to(base.dtype)
  end
  return base:to("float64"):pow(exponent):to(base.dtype)
end

function ops.Mod(node, a, b)
  if node.attributes.fmod == 1 then return a:fmod(b) end
  return a:remainder(b)
end

function ops.BitShift(node, x, amount)
  if node.attributes.direction == "LEFT" then return x:bitwise_left_shift(amount) end
  return x:bitwise_right_shift(amount)
end

local function define_variadic(name, combine)
  ops[name] = function(_, first, ...)
    for _, other in ipairs {...} do first = combine(first, other) end
    return first
  end
end

define_variadic("Max", tide.maximum)
define_variadic("Min", tide.minimum)
define_variadic("Sum", tide.add)

function ops.Mean(_, ...)
  return ops.Sum(nil, ...) / select("#", ...)
end

function ops.Where(_, condition, x, y) return tide.where(condition, x, y) end

--- Bounds are attributes before opset 11.
function ops.Clip(node, x, min, max)
  min = values.number(min, node.attributes.min)
  max = values.number(max, node.attributes.max)
  -- The upper bound wins if min > max.
  return (min or max) and x:clamp(min, max) or x
end

function ops.IsInf(node, x)
  local a = node.attributes
  local positive, negative = a.detect_positive ~= 0, a.detect_negative ~= 0
  if positive and negative then return x:isinf() end
  if positive then return x:isposinf() end
  if negative then return x:isneginf() end
  return tide.zeros_like(x, {dtype = "bool"})
end

--- The slope broadcasts to x's last dimensions.
function ops.PRelu(_, x, slope)
  if slope:dim() > x:dim() then raise("the slope has more dimensions than its input") end
  return tide.where(x:lt(0), x * slope, x)
end

return ops
