-- nn.Parameter: a tensor that a module trains.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Marks `tensor` as one to be trained; assigned to a field of a module it becomes one of its
--- parameters.
local function Parameter(tensor)
  if not tide.is_tensor(tensor) then raise("Parameter: expected a tensor, got %s", kind_of(tensor)) end
  return tensor:detach():requires_grad_(true)
end

return Parameter
