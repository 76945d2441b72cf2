-- tide.as_tensor: a tensor of what is given, which is copied only if it must be.
local checked = require "tide.internal.declare.checked"
local tide = require "tide"

--- A tensor of Lua values, or the tensor given, converted and moved only if needed.
---@param data any  numbers or booleans in tables of tables, one table for each dimension, or a tensor
---@param dtype dtype = nil  type of the result; nil: integers are int64, others float32, booleans bool
---@param device device = nil  where the result lies; nil is the default device
---@errors tables of different lengths
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
