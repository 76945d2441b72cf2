-- tide.as_tensor: converts to a tensor, copying only if needed.
local checked = require "tide.internal.declare.checked"
local tide = require "tide"

--- Makes a tensor from Lua values, or returns the given tensor, converted and moved only if needed.
---@param data any  numbers or booleans in nested tables, one level for each dimension, or a tensor
---@param dtype dtype = nil  type of the result; nil: integers are int64, others float32, booleans bool
---@param device device = nil  device of the result; nil is the default device
---@errors nested tables have different lengths
---@see tide.tensor tide.from x:tolist
---@example
--- tide.as_tensor({1, 2}) --> {1, 2}
local as_tensor = checked("as_tensor", function(data, dtype, device)
  local options = {dtype = dtype, device = device}
  if not tide.is_tensor(data) then return tide.tensor(data, options) end
  if next(options) == nil then return data end
  return data:to(options)
end)

return as_tensor
