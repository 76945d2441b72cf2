-- Functions whose arguments are parsed and checked before they are called.
local reader = require "tide.internal.declare.reader"

--- The function that is declared as `name`, "nn.init.zeros_": it reads its arguments (see reader.lua) and calls `fn`
--- with their values in order.
return function(name, fn)
  local _, _, _, read_values = reader(name)
  return function(...) return fn(read_values(...)) end
end
