-- What an argument must be.
local class = require "tide.internal.class"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The value, if it is of the kind, else an error in the name of `caller`: "tensor", "tensors" (a list of them),
--- "numeric" (a number or a tensor), "integer" (also as a float), "count" (an integer, 0 or more), "callable", "module",
--- or a type of Lua's.
return function(caller, name, value, kind)
  local got = tide.is_tensor(value) and "tensor" or type(value)
  if kind == "count" or kind == "integer" then
    local count = type(value) == "number" and math.tointeger(value)
    if count and (count >= 0 or kind == "integer") then return count end
    if count then raise("%s: %s must be non-negative, got %d", caller, name, count) end
    raise("%s: %s: expected a whole number, got %s", caller, name,
      type(value) == "number" and tostring(value) or got)
  end
  if kind == "numeric" then
    if got == "number" or got == "tensor" then return value end
    raise("%s: %s: expected a number or a tensor, got %s", caller, name, got)
  end
  if kind == "callable" then
    if got == "function" or (getmetatable(value) or {}).__call then return value end
    raise("%s: %s: expected a function, got %s", caller, name, got)
  end
  if kind == "tensors" then
    if got ~= "table" or getmetatable(value) and not value[1] then
      raise("%s: %s: expected a list of tensors, got %s", caller, name, got)
    end
    for i, tensor in ipairs(value) do
      if not tide.is_tensor(tensor) then
        raise("%s: %s[%d]: expected a tensor, got %s", caller, name, i, kind_of(tensor))
      end
    end
    return value
  end
  if kind == "module" then
    if got == "table" and class.is_a(value, require "tide.nn.module") then return value end
    raise("%s: %s: expected a module, got %s", caller, name, got)
  end
  if got ~= kind then raise("%s: %s: expected %s, got %s", caller, name, kind, got) end
  return value
end
