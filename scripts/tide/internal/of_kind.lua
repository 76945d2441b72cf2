-- What an argument must be.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The value, if it is of the kind, else an error in the name of `caller`: "tensor", "tensors" (a list of them),
--- "numeric" (a number or a tensor), "integer" (also as a float), "count" (an integer, 0 or more), "callable", "module",
--- or a type of Lua's.
return function(caller, name, value, kind)
  local got = tide.is_tensor(value) and "tensor" or type(value)
  local function refuse(expected) raise("%s: %s: expected %s, got %s", caller, name, expected, kind_of(value)) end
  if kind == "count" or kind == "integer" then
    local count = got == "number" and math.tointeger(value)
    if count and (count >= 0 or kind == "integer") then return count end
    if count then raise("%s: %s must be non-negative, got %d", caller, name, count) end
    if got == "number" then raise("%s: %s: expected a whole number, got %s", caller, name, value) end
    refuse "a whole number"
  elseif kind == "numeric" then
    if got ~= "number" and got ~= "tensor" then refuse "a number or a tensor" end
  elseif kind == "callable" then
    if got ~= "function" and not (getmetatable(value) or {}).__call then refuse "a function" end
  elseif kind == "tensors" then
    if got ~= "table" or getmetatable(value) and not value[1] then refuse "a list of tensors" end
    for i, tensor in ipairs(value) do
      if not tide.is_tensor(tensor) then
        raise("%s: %s[%d]: expected a tensor, got %s", caller, name, i, kind_of(tensor))
      end
    end
  elseif kind == "module" then
    if got ~= "table" or not (getmetatable(value) or {}).__is_module then refuse "a module" end
  elseif got ~= kind then
    refuse(kind)
  end
  return value
end
