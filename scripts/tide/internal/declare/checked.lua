-- Functions whose arguments are read and checked before they are called.
local arguments = require "tide.internal.arguments"
local reader = require "tide.internal.declare.reader"

--- The function of the old form: `declared` and `kinds` are those of tide.internal.arguments.
local function by_table(caller, declared, kinds, fn)
  local read, names = arguments(caller, declared, kinds), {}
  for i, parameter in ipairs(declared) do names[i] = type(parameter) == "table" and parameter[1] or parameter end
  return function(...)
    local given, values = read(...), {}
    for i, name in ipairs(names) do values[i] = given[name] end
    return fn(table.unpack(values, 1, #names))
  end
end

--- The function that is declared as `name`, "nn.init.zeros_": it reads its arguments (see reader.lua) and calls `fn`
--- with their values in order.
return function(name, fn, ...)
  if type(fn) == "table" then return by_table(name, fn, ...) end
  local read = reader(name)
  return function(...)
    local given, names = read(...)
    local values = {}
    for i, key in ipairs(names) do values[i] = given[key] end
    return fn(table.unpack(values, 1, #names))
  end
end
