-- tide.as_tensor: a tensor of what is given, which is copied only if it must be.
local tide = require "tide"

--- `options` are dtype and device, as for tide.tensor.
local function as_tensor(data, options)
  if not tide.is_tensor(data) then return tide.tensor(data, options) end
  if not options or next(options) == nil then return data end
  return data:to(options)
end

return as_tensor
