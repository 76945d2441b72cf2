-- Makes optimizer classes from their declarations, which have their options.
local define = require "tide.internal.declare.define"

--- Makes the optimizer class declared as `name`, such as "optim.SGD".
return function(name, base)
  local made, read, read_options = define(name, base)

  function made:init(params, ...)
    self:check_list(params)
    self:start(read(params, ...))
  end

  --- Reads the options of a parameter group.
  function made:read_options(options) return read_options(options) end

  return made
end
