-- Declares the options of an optimizer in order, for the reference, and gives them by name.
local declarations = require "tide.internal.declarations"

--- declare("SGD", {{"lr", 1e-3}, {"momentum", 0}}) gives {lr = 1e-3, momentum = 0}.
return function(name, options)
  local defaults = {}
  for _, option in ipairs(options) do defaults[option[1]] = option[2] end
  declarations[name] = {declared = {"params", table.unpack(options)}, kinds = {}}
  return defaults
end
