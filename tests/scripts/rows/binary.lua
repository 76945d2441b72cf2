-- Ops of two tensors: rows as in unary.lua, both inputs within the same bounds.
return {
  {op = "add", from = -3, to = 3, reference = function(x, y) return x + y end},
  {op = "atan2", from = 0.5, to = 3, reference = math.atan},
  {op = "div", from = 0.5, to = 3, reference = function(x, y) return x / y end},
  {op = "floor_divide", from = 0.5, to = 9, reference = function(x, y) return x // y end,
    gradient = false},
  {op = "fmod", from = 0.5, to = 9, reference = math.fmod, gradient = false},
  {op = "hypot", from = 0.5, to = 3, reference = function(x,
    y) return math.sqrt(x * x + y * y) end},
  {op = "maximum", from = -3, to = 3, reference = math.max},
  {op = "minimum", from = -3, to = 3, reference = math.min},
  {op = "mul", from = -3, to = 3, reference = function(x, y) return x * y end},
  {op = "pow", from = 0.5, to = 3, reference = function(x, y) return x ^ y end},
  {op = "remainder", from = 0.5, to = 9, reference = function(x, y) return x % y end,
    gradient = false},
  {op = "sub", from = -3, to = 3, reference = function(x, y) return x - y end},
}
