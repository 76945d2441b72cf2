-- nn.Parameter: a tensor that a module trains.
local checked = require "tide.internal.declare.checked"

--- A tensor that becomes a trained parameter of the module it is assigned to.
---@param tensor tensor  the values
---@example
--- nn.Parameter(tide.ones(2)).requires_grad --> true
local Parameter = checked("nn.Parameter", function(tensor)
  return tensor:detach():requires_grad_(true)
end)

return Parameter
