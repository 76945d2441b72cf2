-- The kind of a value, for messages: "tensor", the class of an object, or Lua's type.
local tide = require "tide"

return function(value)
  if tide.is_tensor(value) then return "tensor" end
  local kind = type(value)
  local meta = (kind == "table" or kind == "userdata") and debug.getmetatable(value)
  local name = type(meta) == "table" and rawget(meta, "__name")
  return name and name:gsub("^tide%.", "") .. "" or kind
end
