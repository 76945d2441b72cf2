-- The options of a module whose types are those of their defaults.
local arguments = require "tide.internal.arguments"

--- The names of the parameters (as tide.internal.arguments has them), and what reads them.
return function(name, parameters)
  local names, kinds = {}, {}
  for i, entry in ipairs(parameters) do
    names[i] = entry[1]
    kinds[entry[1]] = entry[2] ~= nil and type(entry[2]) or nil
  end
  return names, arguments(name, parameters, kinds)
end
