-- Lua's operators for objects that stand for tensors.
local tide = require "tide"

local kBinary <const> = {
  __add = "add", __sub = "sub", __mul = "mul", __div = "div", __idiv = "floor_divide",
  __mod = "remainder", __pow = "pow", __band = "bitwise_and", __bor = "bitwise_or",
  __bxor = "bitwise_xor", __shl = "bitwise_left_shift", __shr = "bitwise_right_shift",
}

--- Gives a metatable the operators: `call(name, op, ...)` carries an op out.
return function(metatable, call)
  for event, name in pairs(kBinary) do
    metatable[event] = function(a, b) return call(name, tide[name], a, b) end
  end
  function metatable:__unm() return self:neg() end
  function metatable:__bnot() return self:bitwise_not() end
end
