-- Functions whose arguments are read and checked before they are called.
local reader = require "tide.internal.declare.reader"

--- The function that is declared as `name`, "nn.init.zeros_": it reads its arguments (see reader.lua) and calls `fn`
--- with their values in order.
return function(name, fn)
  local read = reader(name)
  return function(...)
    local given, names = read(...)
    local values = {}
    for i, key in ipairs(names) do values[i] = given[key] end
    return fn(table.unpack(values, 1, #names))
  end
end
