-- Functions whose arguments are read and checked before they are called.
local arguments = require "tide.internal.arguments"

--- A function that reads its arguments as `arguments(caller, declared, kinds)` does, and calls `fn` with their values in
--- the declared order.
return function(caller, declared, kinds, fn)
  local read, names = arguments(caller, declared, kinds), {}
  for i, parameter in ipairs(declared) do names[i] = type(parameter) == "table" and parameter[1] or parameter end
  return function(...)
    local given, values = read(...), {}
    for i, name in ipairs(names) do values[i] = given[name] end
    return fn(table.unpack(values, 1, #names))
  end
end
