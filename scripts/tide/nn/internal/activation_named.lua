-- Activations that are given as functions or by their names in tide.nn.functional.
local F = require "tide.nn.functional"

--- The function of this name, nil if there is none; other values as they are.
return function(value)
  if type(value) ~= "string" then return value end
  return rawget(F, value) or getmetatable(F).__names()[value] and F[value]
end
