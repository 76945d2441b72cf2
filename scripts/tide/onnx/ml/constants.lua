-- The attributes of a node as tensors, created once and cached for each device.
local tide = require "tide"

local kept = setmetatable({}, {__mode = "k"})

--- The table that make(node) returns, with its tensors on the device.
local function constants(node, device, make)
  local by_device = kept[node]
  if not by_device then
    by_device = {made = make(node)}
    kept[node] = by_device
  end
  local key = tostring(device)
  if not by_device[key] then
    local own = {}
    for name, value in pairs(by_device.made) do
      own[name] = tide.is_tensor(value) and value:to(device) or value
    end
    by_device[key] = own
  end
  return by_device[key]
end

return constants
