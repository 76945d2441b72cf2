-- Optimizers by their declarations: the options of a class are those that it declares.
local define = require "tide.internal.declare.define"

--- Makes the class of the optimizer that is declared as `name`, "optim.SGD".
return function(name, base)
  local made, read, read_options = define(name, base)

  function made:init(params, ...)
    self:check_list(params)
    self:start(read(params, ...))
  end

  --- The options that a group of parameters has of its own.
  function made:read_options(options) return read_options(options) end

  return made
end
