-- Families of networks: one class, with other arguments for each network.
local network = require "tide.vision.models.internal.network"

--- A table of networks, and the function(declared, ...) that adds the declared one to it: Class(..., options). Without
--- the option norm_layer, that is the given one.
return function(Class, norm_layer)
  local networks = {}
  return networks, function(declared, ...)
    local row = table.pack(...)
    networks[declared:match "[%w_]+$"] = network(declared, function(given)
      given.norm_layer = given.norm_layer or norm_layer
      local arguments = table.move(row, 1, row.n, 1, {})
      arguments[row.n + 1] = given
      return Class(table.unpack(arguments, 1, row.n + 1))
    end)
  end
end
